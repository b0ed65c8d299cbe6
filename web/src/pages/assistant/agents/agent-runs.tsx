import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { AgentRun } from '@trellis/contract/shapes/agent.ts';
import { History } from 'lucide-react';
import { useNames } from '../../../api/names.ts';
import { atSkip } from '../../../app/search-params.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { SidePanel } from '../../../ui/dialog.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { AgentRunView, STATUS_TONES } from './agent-run-view.tsx';
import { agentRunsQuery } from './agent-queries.ts';

const route = getRouteApi('/workspace/assistant/agents/$name');

/** Runs of an agent, the newest first: the viewer's own, and everybody's for administrators. */
export function AgentRuns({ name }: { readonly name: string }) {
  const { run, skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const runs = useQuery(agentRunsQuery(name, skip));
  const show = (uid: string | undefined) =>
    void navigate({ search: (last) => ({ ...last, run: uid }) });
  return (
    <QueryView query={runs} errorTitle="The runs could not be read">
      {(list) => (
        <Card isFlush>
          {list.items.length === 0 && skip === 0 ? (
            <EmptyState icon={History} title="It has not run yet">
              Run it here, from an endpoint, or with{' '}
              <code className="font-mono">trellis agent run</code>.
            </EmptyState>
          ) : (
            <RunTable runs={list.items} onOpen={show} />
          )}
          <Pager
            {...list}
            shown={list.items.length}
            onSkip={(next) => void navigate({ search: atSkip(next) })}
          />
          {run !== undefined && (
            <SidePanel isOpen onClose={() => show(undefined)} title={`Run of ${name}`}>
              <AgentRunView uid={run} />
            </SidePanel>
          )}
        </Card>
      )}
    </QueryView>
  );
}

interface RunTableProps {
  readonly runs: readonly AgentRun[];
  readonly onOpen: (uid: string) => void;
}

function RunTable({ runs, onOpen }: RunTableProps) {
  const nameOf = useNames(runs.map(({ user }) => user));
  const columns: readonly Column<AgentRun>[] = [
    {
      title: 'Message',
      cell: ({ UID, message }) => (
        <button
          type="button"
          dir="auto"
          onClick={() => onOpen(UID)}
          className="line-clamp-2 max-w-prose text-left text-accent wrap-anywhere hover:underline"
        >
          {message}
        </button>
      ),
    },
    {
      title: 'Status',
      cell: ({ status }) => <Badge tone={STATUS_TONES[status]}>{status}</Badge>,
    },
    { title: 'User', isMinor: true, cell: ({ user }) => <bdi>{nameOf(user)}</bdi> },
    { title: 'Started', cell: ({ startedAt }) => <Time iso={startedAt} /> },
  ];
  return <DataTable label="Runs" columns={columns} rows={runs} keyOf={({ UID }) => UID} />;
}
