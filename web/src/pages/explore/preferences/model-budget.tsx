import { useQuery } from '@tanstack/react-query';
import type { MonthBudget } from '@trellis/contract/shapes/llm-budget.ts';
import type { LlmBudget, LlmShare } from '@trellis/contract/shapes/llm.ts';
import { ownBudgetQuery, ownerOf } from '../../../api/own-budget.ts';
import { BUDGETS_REFRESH_MS } from '../../../app/refresh-intervals.ts';
import { Card } from '../../../ui/card.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { FieldList } from '../../../ui/field-list.tsx';
import { formatCount } from '../../../ui/format.ts';
import { FEATURE_WORDS } from '../../../ui/llm-features.ts';
import { Notice } from '../../../ui/notice.tsx';
import { ProgressBar } from '../../../ui/progress-bar.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';

/** What somebody has used of models today, and what is left. */
export function ModelBudget() {
  const budget = useQuery({
    ...ownBudgetQuery,
    refetchInterval: BUDGETS_REFRESH_MS,
  });
  return (
    <QueryView query={budget} errorTitle="Your usage of models could not be read">
      {(known) => (
        <Card
          title="Your usage of models"
          description={
            <>
              The day began at midnight in UTC. The next one begins at{' '}
              <Time iso={known.resetsAt} isExact />.
            </>
          }
        >
          <div className="flex flex-col gap-4">
            <TokensLeft {...known} />
            {known.months.map((month) => (
              <MonthLeft key={month.team ?? ''} month={month} currency={known.currency} />
            ))}
            <WorkspaceMonth state={known.workspaceMonth} />
            <FieldList items={figuresOf(known)} />
            {known.split.length > 0 && (
              <DataTable
                label="Your usage of models today"
                columns={COLUMNS}
                rows={known.split}
                keyOf={({ feature, model }) => `${feature} ${model}`}
              />
            )}
          </div>
        </Card>
      )}
    </QueryView>
  );
}

function TokensLeft({ tokensLeft, tokensPerDay }: Pick<LlmBudget, 'tokensLeft' | 'tokensPerDay'>) {
  if (tokensLeft === null || tokensPerDay === null) return null;
  return (
    <ProgressBar
      label={`${formatCount(tokensLeft)} of ${formatCount(tokensPerDay)} tokens are left`}
      fraction={Math.min(1, 1 - tokensLeft / tokensPerDay)}
    />
  );
}

interface MonthLeftProps extends Pick<LlmBudget, 'currency'> {
  readonly month: MonthBudget;
}

/** What is left of the month of a team, or of everybody. */
function MonthLeft({ month, currency }: MonthLeftProps) {
  const { tokens, tokensLeft, money, moneyLeft } = month;
  const rows = [
    { limit: tokens, left: tokensLeft, unit: 'tokens' },
    { limit: money, left: moneyLeft, unit: currency },
  ];
  return rows.map(({ limit, left, unit }) =>
    limit === null || left === null ? null : (
      <ProgressBar
        key={unit}
        label={`${ownerOf(month)}, this month: ${formatCount(left)} of ${formatCount(limit)} ${unit} are left`}
        fraction={limit === 0 ? 1 : Math.min(1, 1 - left / limit)}
      />
    ),
  );
}

/** How much everybody uses is for administrators to know. */
function WorkspaceMonth({ state }: { readonly state: LlmBudget['workspaceMonth'] }) {
  if (state === null || state === 'ok') return null;
  return (
    <Notice tone="warning">
      {state === 'spent'
        ? 'The workspace has used its budget of this month.'
        : 'The workspace has used most of its budget of this month.'}
    </Notice>
  );
}

const COLUMNS: readonly Column<LlmShare>[] = [
  { title: 'For', cell: ({ feature }) => FEATURE_WORDS[feature] },
  { title: 'Model', cell: ({ model }) => <bdi>{model}</bdi> },
  { title: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
  { title: 'Tokens in', isNumber: true, cell: ({ inputTokens }) => formatCount(inputTokens) },
  { title: 'Tokens out', isNumber: true, cell: ({ outputTokens }) => formatCount(outputTokens) },
];

function figuresOf({
  tokensUsed,
  tokensReserved,
  tokens,
  requestsAtOnceMax,
  requestsPerMinuteMax,
}: LlmBudget) {
  const underWay = tokens.reduce((sum, { requestsUnderWay }) => sum + requestsUnderWay, 0);
  return [
    { name: 'Used today', value: `${formatCount(tokensUsed)} tokens` },
    {
      name: 'Under way',
      value: `${formatCount(underWay)} requests, which may use ${formatCount(tokensReserved)} tokens`,
    },
    {
      name: 'Each session or token',
      value: `${formatCount(requestsAtOnceMax)} requests at a time, ${formatCount(requestsPerMinuteMax)} a minute`,
    },
  ];
}
