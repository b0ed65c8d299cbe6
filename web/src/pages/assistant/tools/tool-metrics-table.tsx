import { useQuery } from '@tanstack/react-query';
import type { ToolMetricsList } from '@trellis/contract/shapes/tool.ts';
import { Gauge } from 'lucide-react';
import { Card } from '../../../ui/card.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatCount, formatMs, formatPercent } from '../../../ui/format.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { toolMetricsQuery } from './tool-queries.ts';

type ToolMetrics = ToolMetricsList['items'][number];

const COLUMNS: readonly Column<ToolMetrics>[] = [
  {
    title: 'Tool',
    cell: ({ tool }) => <span className="font-mono text-[13px]">{tool}</span>,
  },
  { title: 'Calls', isNumber: true, cell: ({ calls }) => formatCount(calls) },
  { title: 'Errors', isNumber: true, cell: ({ errors }) => formatCount(errors) },
  { title: 'Error rate', isNumber: true, cell: ({ errorRate }) => formatPercent(errorRate) },
  { title: 'Average', isNumber: true, isMinor: true, cell: ({ averageMs }) => msOf(averageMs) },
  { title: '95 %', isNumber: true, isMinor: true, cell: ({ p95Ms }) => msOf(p95Ms) },
  {
    title: 'Last call',
    cell: ({ lastCalledAt }) => (lastCalledAt === null ? 'Never' : <Time iso={lastCalledAt} />),
  },
];

/** Calls by models since the primary started; read again by itself. */
export function ToolMetricsTable() {
  const metrics = useQuery(toolMetricsQuery);
  return (
    <QueryView query={metrics} errorTitle="The calls could not be read">
      {({ items }) => (
        <Card
          title="Calls by models"
          description="Since the primary started. An error is a result that reports a failure."
          isFlush
        >
          {items.length === 0 ? (
            <EmptyState icon={Gauge} title="No tool was called yet">
              Ask the assistant a question that needs a tool.
            </EmptyState>
          ) : (
            <DataTable
              label="Calls of tools"
              columns={COLUMNS}
              rows={items}
              keyOf={({ tool }) => tool}
            />
          )}
        </Card>
      )}
    </QueryView>
  );
}

function msOf(ms: number | null): string {
  return ms === null ? '-' : formatMs(ms);
}
