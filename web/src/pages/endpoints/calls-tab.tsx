import type { EndpointCall } from '@trellis/contract/shapes/endpoint-work.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import type { EndpointLogLine } from '@trellis/contract/shapes/endpoint-log.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Activity } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { formatBytes, formatMs } from '../../ui/format.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { endpointCallsQuery } from './endpoint-queries.ts';
import { LogLineList } from './log-line-list.tsx';
import { TraceDialog } from './trace-dialog.tsx';
import type { EndpointDraft } from './use-endpoint-draft.ts';

interface CallRow extends EndpointCall {
  readonly lines: readonly EndpointLogLine[];
}

const KINDS: Readonly<Record<EndpointCall['kind'], string>> = {
  call: 'Call',
  nested: 'From an endpoint',
  draft: 'Draft',
};

interface CallsTabProps {
  readonly definition: EndpointDefinition;
  readonly draft: EndpointDraft;
  /** Shows the tab where the code is run. */
  readonly onOpenRun: () => void;
}

/** Who called the endpoint last on this server, and what came of it. */
export function CallsTab({ definition, draft, onOpenRun }: CallsTabProps) {
  const { name } = definition;
  const calls = useQuery(endpointCallsQuery(name));
  const [trace, setTrace] = useState<string>();
  const columns = [...COLUMNS, traceColumn(setTrace)];
  return (
    <>
      <TraceDialog
        id={trace}
        onClose={() => setTrace(undefined)}
        {...{ definition, draft, onOpenRun }}
      />
      <QueryView query={calls} errorTitle="The calls could not be read">
        {(rows) => (
          <Card isFlush className="px-3">
            {rows.length === 0 ? (
              <EmptyState icon={Activity} title="No calls yet">
                The last 50 calls on this server stand here. A restart of the server clears them.
              </EmptyState>
            ) : (
              <DataTable
                label={`Last calls of ${name}`}
                rows={rows}
                keyOf={({ at, ms, run }) => `${at}:${ms}:${run ?? ''}`}
                columns={columns}
              />
            )}
          </Card>
        )}
      </QueryView>
    </>
  );
}

function traceColumn(onOpen: (trace: string) => void): Column<CallRow> {
  return {
    title: 'Trace',
    isTitleHidden: true,
    cell: ({ trace, at }) =>
      trace !== null && (
        <Button
          size="small"
          aria-label={`Trace of the call at ${at}`}
          onClick={() => onOpen(trace)}
        >
          Trace
        </Button>
      ),
  };
}

const COLUMNS: readonly Column<CallRow>[] = [
  { title: 'When', cell: ({ at }) => <Time iso={at} /> },
  {
    title: 'Who',
    cell: ({ user }) =>
      user === null ? <span className="text-muted">Nobody</span> : <bdi>{user.name}</bdi>,
  },
  { title: 'Kind', cell: ({ kind }) => KINDS[kind], isMinor: true },
  { title: 'Status', cell: CallStatus },
  { title: 'Time', cell: ({ ms }) => formatMs(ms), isNumber: true },
  { title: 'Size', cell: ({ bytes }) => formatBytes(bytes), isNumber: true },
  { title: 'Log', cell: CallLog },
  { title: 'Records', isTitleHidden: true, cell: CallRecords },
];

function CallStatus({ status, code }: CallRow) {
  if (status === null) return <Badge tone="neutral">Cancelled</Badge>;
  const tone = status < 400 ? 'good' : status < 500 ? 'warning' : 'danger';
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Badge tone={tone}>{status}</Badge>
      {code !== null && <code className="font-mono text-xs">{code}</code>}
    </span>
  );
}

/** What the server has logged of the same request, its error and calls within it included. */
function CallRecords({ traceId, at }: CallRow) {
  if (traceId === null) return null;
  return (
    <Link
      to="/admin/logs"
      search={{ request: traceId, range: 'all' }}
      aria-label={`Log of the request at ${at}`}
      className="underline"
    >
      Request
    </Link>
  );
}

function CallLog({ lines, at }: CallRow) {
  if (lines.length === 0) return <span className="text-muted">None</span>;
  return (
    <details>
      <summary>{lines.length === 1 ? 'One line' : `${lines.length} lines`}</summary>
      <LogLineList label={`Log lines of the call at ${at}`} lines={lines} />
    </details>
  );
}
