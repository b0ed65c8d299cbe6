import { useQuery } from '@tanstack/react-query';
import type { LlmBudgets, MonthBudget } from '@trellis/contract/shapes/llm-budget.ts';
import { Wallet } from 'lucide-react';
import { ownerOf } from '../../../api/own-budget.ts';
import { Badge, type BadgeTone } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatCount } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/page-header.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { BudgetsForm } from './budgets-form.tsx';
import { budgetsQuery } from './budgets-query.ts';

/** What teams and the workspace may use of models in a month, and what they have used. */
export function BudgetsPage() {
  const budgets = useQuery(budgetsQuery);
  return (
    <>
      <PageHeader
        title="Budgets"
        description="What teams and the whole workspace may use of models in a month, in tokens and in money. Users see what is left to their teams."
      />
      <QueryView query={budgets} errorTitle="The budgets could not be read" rows={8}>
        {(known) => (
          <div className="flex flex-col gap-5">
            <ThisMonth {...known} />
            <BudgetsForm budgets={known} />
          </div>
        )}
      </QueryView>
    </>
  );
}

function ThisMonth({ month, resetsAt, currency, budgets }: LlmBudgets) {
  return (
    <Card
      title={`This month (${month})`}
      description={
        <>
          Months are those of UTC. The next one begins at <Time iso={resetsAt} isExact />.
        </>
      }
      isFlush
    >
      {budgets.length === 0 ? (
        <EmptyState icon={Wallet} title="No budgets yet">
          Each user has a limit for a day, which is set under Providers. Add a budget to limit the
          month of a team, or of everybody together.
        </EmptyState>
      ) : (
        <DataTable
          label="Budgets of this month"
          columns={columnsOf(currency)}
          rows={budgets}
          keyOf={({ team }) => team ?? ''}
        />
      )}
    </Card>
  );
}

const STATES: Readonly<
  Record<MonthBudget['state'], { readonly tone: BadgeTone; readonly text: string }>
> = {
  ok: { tone: 'good', text: 'Has room' },
  soft: { tone: 'warning', text: 'Nearly used' },
  spent: { tone: 'danger', text: 'Used' },
};

function columnsOf(currency: string): readonly Column<MonthBudget>[] {
  return [
    { title: 'Who', cell: (budget) => <bdi>{ownerOf(budget)}</bdi> },
    {
      title: 'State',
      cell: ({ state }) => <Badge tone={STATES[state].tone}>{STATES[state].text}</Badge>,
    },
    { title: 'Limit', cell: ({ isHard }) => (isHard ? 'Refuses requests' : 'Only warns') },
    {
      title: 'Tokens used',
      isNumber: true,
      cell: ({ tokensUsed, tokens }) => usedOf(tokensUsed, tokens),
    },
    { title: 'Tokens left', isNumber: true, cell: ({ tokensLeft }) => amount(tokensLeft) },
    {
      title: `${currency} used`,
      isNumber: true,
      cell: ({ moneyUsed, money }) => usedOf(moneyUsed, money),
    },
    { title: `${currency} left`, isNumber: true, cell: ({ moneyLeft }) => amount(moneyLeft) },
  ];
}

function usedOf(used: number, limit: number | null): string {
  return limit === null ? formatCount(used) : `${formatCount(used)} of ${formatCount(limit)}`;
}

function amount(left: number | null): string {
  return left === null ? 'No limit' : formatCount(left);
}
