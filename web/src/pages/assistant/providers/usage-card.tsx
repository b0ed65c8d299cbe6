import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { LlmUsage } from '@trellis/contract/shapes/llm.ts';
import { ChartColumn } from 'lucide-react';
import { useNames } from '../../../api/names.ts';
import { atSkip } from '../../../app/search-params.ts';
import { Card } from '../../../ui/card.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatCount } from '../../../ui/format.ts';
import { FEATURE_WORDS } from '../../../ui/llm-features.ts';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { llmUsageQuery } from './provider-queries.ts';

const route = getRouteApi('/workspace/assistant/providers');

/** What was asked of the provider of chat, by day, of the last 31 days. */
export function UsageCard() {
  const { skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const usage = useQuery(llmUsageQuery(skip));
  return (
    <QueryView query={usage} errorTitle="The usage could not be read">
      {(list) => (
        <Card title="Usage" description="By day in UTC, for the last 31 days." isFlush>
          {list.items.length === 0 && skip === 0 ? (
            <EmptyState icon={ChartColumn} title="No usage yet">
              What people and programs ask of models is counted here.
            </EmptyState>
          ) : (
            <UsageTable items={list.items} />
          )}
          <Pager
            {...list}
            shown={list.items.length}
            onSkip={(next) => void navigate({ search: atSkip(next) })}
          />
        </Card>
      )}
    </QueryView>
  );
}

function UsageTable({ items }: { readonly items: readonly LlmUsage[] }) {
  const nameOf = useNames(items.map(({ user }) => user));
  const columns: readonly Column<LlmUsage>[] = [
    { title: 'Day', cell: ({ day }) => <span className="whitespace-nowrap">{day}</span> },
    { title: 'User', cell: ({ user }) => <bdi>{nameOf(user)}</bdi> },
    {
      title: 'Over',
      isMinor: true,
      cell: ({ token }) => <code className="font-mono text-[13px]">{token}</code>,
    },
    {
      title: 'For',
      cell: ({ split }) => (
        <ul>
          {split.map(({ feature, model, inputTokens, outputTokens }) => (
            <li key={`${feature} ${model}`}>
              {FEATURE_WORDS[feature]}, <bdi>{model}</bdi>:{' '}
              {formatCount(inputTokens + outputTokens)}
            </li>
          ))}
        </ul>
      ),
    },
    { title: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
    { title: 'Tokens in', isNumber: true, cell: ({ inputTokens }) => formatCount(inputTokens) },
    { title: 'Tokens out', isNumber: true, cell: ({ outputTokens }) => formatCount(outputTokens) },
  ];
  return (
    <DataTable
      label="Usage of models"
      columns={columns}
      rows={items}
      keyOf={({ day, token, user }) => `${day} ${token} ${user}`}
    />
  );
}
