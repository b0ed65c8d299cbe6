import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { EndpointDefinition } from '@trellis/contract/shapes/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { SquareCode } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import { buttonClasses } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { EndpointHeader } from './endpoint-header.tsx';
import { endpointQuery } from './endpoint-queries.ts';
import { EndpointScans } from './endpoint-scans.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { useEndpointDraft } from './use-endpoint-draft.ts';
import { useEndpointSaving } from './use-endpoint-saving.ts';

// Each comes when its tab is opened: the editor is large.
const CodeTab = lazyPart(async () => (await import('./code-tab.tsx')).CodeTab);
const HistoryTab = lazyPart(async () => (await import('./history-tab.tsx')).HistoryTab);
const SettingsTab = lazyPart(async () => (await import('./settings-tab.tsx')).SettingsTab);
const CallsTab = lazyPart(async () => (await import('./calls-tab.tsx')).CallsTab);
const LogsTab = lazyPart(async () => (await import('./logs-tab.tsx')).LogsTab);

const route = getRouteApi('/workspace/endpoints/edit/$');

export function EndpointPage() {
  const { _splat: name = '' } = route.useParams();
  const endpoint = useQuery(endpointQuery(name));
  const isMissing =
    endpoint.error instanceof TrellisError && endpoint.error.code === 'endpoint_not_found';
  if (isMissing) return <MissingEndpoint name={name} />;
  return endpoint.data === undefined ? (
    <>
      <PageHeader title={name} />
      <QueryView query={endpoint} errorTitle="The endpoint could not be read" rows={10}>
        {() => null}
      </QueryView>
    </>
  ) : (
    <Workbench key={name} definition={endpoint.data} />
  );
}

/** What was deleted has a history still, and can be had back from it. */
function MissingEndpoint({ name }: { readonly name: string }) {
  return (
    <>
      <PageHeader title={name} />
      <EmptyState
        icon={SquareCode}
        title="There is no endpoint of this name"
        action={
          <Link to="/endpoints" className={buttonClasses()}>
            All endpoints
          </Link>
        }
      >
        If it was deleted, its versions are below. They can be restored.
      </EmptyState>
      {later(<HistoryTab name={name} current={undefined} />)}
    </>
  );
}

function later(part: ReactNode): ReactNode {
  return <Suspense fallback={<Skeleton />}>{part}</Suspense>;
}

const TAB_NAMES = ['code', 'settings', 'history', 'calls', 'logs'] as const;
type TabName = (typeof TAB_NAMES)[number];

function isTabName(text: string | undefined): text is TabName {
  return TAB_NAMES.some((name) => name === text);
}

function Workbench({ definition }: { readonly definition: EndpointDefinition }) {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const draft = useEndpointDraft(definition);
  const saving = useEndpointSaving(definition, draft);
  const { name } = definition;
  const show = (next: TabName) => void navigate({ search: next === 'code' ? {} : { tab: next } });
  const items: readonly TabItem<TabName>[] = [
    {
      value: 'code',
      label: draft.isDirty ? 'Code, not saved' : 'Code',
      content: later(<CodeTab {...{ definition, draft, saving }} />),
      isKept: true,
    },
    {
      value: 'settings',
      label: 'Settings',
      content: later(<SettingsTab {...{ definition, draft }} />),
    },
    {
      value: 'history',
      label: 'History',
      content: later(<HistoryTab name={name} current={definition.version} />),
    },
    {
      value: 'calls',
      label: 'Calls',
      content: later(<CallsTab {...{ definition, draft }} onOpenRun={() => show('code')} />),
    },
    { value: 'logs', label: 'Logs', content: later(<LogsTab name={name} />) },
  ];
  return (
    <>
      <EndpointHeader {...{ definition, draft, saving }} />
      <EndpointScans name={name} />
      <Tabs
        label="Parts of the endpoint"
        items={items}
        value={isTabName(tab) ? tab : 'code'}
        onChange={show}
      />
      <LeaveGuard isDirty={draft.isDirty}>
        They are kept in this tab of the browser until it is closed: open the endpoint again to go
        on.
      </LeaveGuard>
    </>
  );
}
