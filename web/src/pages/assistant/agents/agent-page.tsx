import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { AgentSummary } from '@trellis/contract/shapes/agent.ts';
import { Bot } from 'lucide-react';
import { useViewer } from '../../../api/viewer.ts';
import { buttonClasses } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { agentListQuery, useLiveRuns } from './agent-queries.ts';
import { AgentRuns } from './agent-runs.tsx';
import { AgentSettings } from './agent-settings.tsx';
import { RunAgent } from './run-agent.tsx';

const route = getRouteApi('/workspace/assistant/agents/$name');

const TABS = ['run', 'runs', 'settings'] as const;
type Tab = (typeof TABS)[number];

/** One agent: to run it, what it did, and for administrators what it is. */
export function AgentPage() {
  const { name } = route.useParams();
  const agents = useQuery(agentListQuery);
  return (
    <QueryView query={agents} errorTitle="The agent could not be read">
      {(items) => {
        const agent = items.find((one) => one.name === name);
        return agent === undefined ? <NoSuchAgent name={name} /> : <Agent agent={agent} />;
      }}
    </QueryView>
  );
}

function Agent({ agent }: { readonly agent: AgentSummary }) {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  useLiveRuns();
  const isAdministrator = useViewer()?.seesAdministration === true;
  const { name, description } = agent;
  const settings = {
    value: 'settings',
    label: 'Settings',
    content: <AgentSettings name={name} />,
  } as const;
  return (
    <>
      <PageHeader
        title={name}
        description={description}
        actions={
          <Link to="/assistant/agents" className={buttonClasses()}>
            All agents
          </Link>
        }
      />
      <Tabs<Tab>
        label="Agent"
        value={TABS.find((known) => known === tab) ?? 'run'}
        onChange={(next) => void navigate({ search: next === 'run' ? {} : { tab: next } })}
        items={[
          { value: 'run', label: 'Run', content: <RunAgent agent={agent} />, isKept: true },
          { value: 'runs', label: 'Runs', content: <AgentRuns name={name} /> },
          ...(isAdministrator ? [settings] : []),
        ]}
      />
    </>
  );
}

function NoSuchAgent({ name }: { readonly name: string }) {
  return (
    <>
      <PageHeader title={name} />
      <EmptyState
        icon={Bot}
        title="There is no such agent, or you may not run it"
        action={
          <Link to="/assistant/agents" className={buttonClasses()}>
            All agents
          </Link>
        }
      />
    </>
  );
}
