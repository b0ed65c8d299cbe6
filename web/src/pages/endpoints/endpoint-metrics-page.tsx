import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { EndpointMetrics } from '@trellis/contract/shapes/stats.ts';
import { Gauge } from 'lucide-react';
import { buttonClasses } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatCount, formatMs, formatPercent } from '../../ui/format.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { endpointMetricsQuery } from './endpoint-queries.ts';
import { LacksIndexMark } from './lacks-index-mark.tsx';

const route = getRouteApi('/workspace/endpoints/metrics');

/** Numbers of the server that answers, since it started (docs/build.md); read again by itself. */
export function EndpointMetricsPage() {
  const metrics = useQuery(endpointMetricsQuery);
  return (
    <>
      <PageHeader
        title="Endpoint metrics"
        description="Calls on this server since it started. An error is a call that ended with a status from 500 up. The numbers refresh by themselves."
        actions={
          <Link to="/endpoints" className={buttonClasses()}>
            All endpoints
          </Link>
        }
      />
      <QueryView query={metrics} errorTitle="The metrics could not be read" rows={6}>
        {({ items }) => (
          <Card isFlush>
            {items.every(({ calls }) => calls === 0) ? (
              <EmptyState icon={Gauge} title="No endpoint was called yet">
                Run one, from its page or with{' '}
                <code className="font-mono">trellis endpoint run</code>.
              </EmptyState>
            ) : (
              <MetricsTable items={items.filter(({ calls }) => calls > 0)} />
            )}
          </Card>
        )}
      </QueryView>
    </>
  );
}

type SortKey = keyof Omit<EndpointMetrics, 'scans'>;

interface MetricColumn {
  readonly key: SortKey;
  readonly column: Column<EndpointMetrics>;
}

const COLUMNS: readonly MetricColumn[] = [
  {
    key: 'name',
    column: {
      title: 'Endpoint',
      cell: (metrics) => (
        <span className="flex flex-wrap items-center gap-2">
          <Link
            to="/endpoints/edit/$"
            params={{ _splat: metrics.name }}
            className="font-mono text-[13px] text-accent hover:underline"
          >
            {metrics.name}
          </Link>
          <LacksIndexMark metrics={metrics} />
        </span>
      ),
    },
  },
  { key: 'calls', column: numbers('Calls', ({ calls }) => formatCount(calls)) },
  { key: 'errors', column: numbers('Errors', ({ errors }) => formatCount(errors)) },
  { key: 'errorRate', column: numbers('Error rate', ({ errorRate }) => formatPercent(errorRate)) },
  { key: 'averageMs', column: numbers('Mean', ({ averageMs }) => msOf(averageMs)) },
  { key: 'p50Ms', column: numbers('p50', ({ p50Ms }) => msOf(p50Ms)) },
  { key: 'p95Ms', column: numbers('p95', ({ p95Ms }) => msOf(p95Ms)) },
  { key: 'p99Ms', column: numbers('p99', ({ p99Ms }) => msOf(p99Ms)) },
  {
    key: 'lastCalledAt',
    column: {
      title: 'Last call',
      cell: ({ lastCalledAt }) => (lastCalledAt === null ? '-' : <Time iso={lastCalledAt} />),
    },
  },
];

function MetricsTable({ items }: { readonly items: readonly EndpointMetrics[] }) {
  const { sort, direction } = route.useSearch();
  const navigate = route.useNavigate();
  const by = COLUMNS.find(({ key }) => key === sort)?.key ?? 'calls';
  // What stands out is looked for: the largest first, but names from A on.
  const isAscending = direction === undefined ? by === 'name' : direction === 'ascending';
  const columns = COLUMNS.map(({ key, column }): Column<EndpointMetrics> => {
    const isSorted = key === by;
    const next = isSorted ? !isAscending : key === 'name';
    return {
      ...column,
      sort: {
        direction: isSorted ? (isAscending ? 'ascending' : 'descending') : 'none',
        onSort: () =>
          void navigate({
            search: { sort: key, direction: next ? 'ascending' : 'descending' },
            replace: true,
          }),
      },
    };
  });
  const rows = items.toSorted((a, b) => compared(a[by], b[by]) * (isAscending ? 1 : -1));
  return (
    <DataTable label="Endpoint metrics" columns={columns} rows={rows} keyOf={({ name }) => name} />
  );
}

/** Null, of what was not called, is the least. */
function compared(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return typeof a === 'string' ? a.localeCompare(String(b)) : a - Number(b);
}

function numbers(title: string, cell: (row: EndpointMetrics) => string): Column<EndpointMetrics> {
  return { title, cell, isNumber: true };
}

function msOf(ms: number | null): string {
  return ms === null ? '-' : formatMs(ms);
}
