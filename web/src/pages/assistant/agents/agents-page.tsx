import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AgentSummary } from '@trellis/contract/shapes/agent.ts';
import { Bot } from 'lucide-react';
import { useState } from 'react';
import { useViewer } from '../../../api/viewer.ts';
import { Badge } from '../../../ui/badge.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { Time } from '../../../ui/time.tsx';
import { ListPage } from '../../manage/list-page.tsx';
import { agentListQuery } from './agent-queries.ts';
import { NewAgentDialog } from './new-agent-dialog.tsx';

/** Those that the viewer may run. */
export function AgentsPage() {
  const viewer = useViewer();
  const [isAdding, setIsAdding] = useState(false);
  const agents = useQuery(agentListQuery);
  const isAdministrator = viewer?.seesAdministration === true;
  return (
    <ListPage
      title="Agents"
      description="Instructions for a model, with the tools that it may call. An agent answers one message at a time, as the user who runs it."
      addLabel={isAdministrator ? 'Add agent' : undefined}
      onAdd={() => setIsAdding(true)}
      query={agents}
      errorTitle="The agents could not be read"
      empty={{
        icon: Bot,
        title: 'No agents yet',
        text: isAdministrator
          ? 'Add one for work that repeats.'
          : 'There is none that you may run. Administrators add agents.',
      }}
      list={(items) => (
        <DataTable label="Agents" columns={COLUMNS} rows={items} keyOf={({ UID }) => UID} />
      )}
    >
      {isAdding && <NewAgentDialog onClose={() => setIsAdding(false)} />}
    </ListPage>
  );
}

const COLUMNS: readonly Column<AgentSummary>[] = [
  {
    title: 'Agent',
    cell: ({ name, description }) => (
      <div className="min-w-40">
        <Link
          to="/assistant/agents/$name"
          params={{ name }}
          className="font-mono text-[13px] font-medium text-accent hover:underline"
        >
          {name}
        </Link>
        <bdi className="line-clamp-2 max-w-prose text-[13px] text-muted wrap-anywhere">
          {description}
        </bdi>
      </div>
    ),
  },
  { title: 'Model', isMinor: true, cell: ({ model }) => model ?? 'The model of chat' },
  {
    title: 'For',
    cell: ({ access }) =>
      access === 'admins' ? <Badge tone="info">Administrators</Badge> : <Badge>Users</Badge>,
  },
  { title: 'Changed', isMinor: true, cell: ({ updatedAt }) => <Time iso={updatedAt} /> },
];
