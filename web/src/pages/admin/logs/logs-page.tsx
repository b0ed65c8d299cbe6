import { getRouteApi } from '@tanstack/react-router';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { AuditTrail } from '../audit-trail.tsx';
import { LogFiles } from './log-files.tsx';
import { LogSearch } from './log-search.tsx';

const route = getRouteApi('/workspace/admin/logs');
const TABS = ['search', 'files', 'audit'] as const;
type Tab = (typeof TABS)[number];

/** What the server has said, as it says it, and who did what. */
export function LogsPage() {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader
        title="Logs"
        description="Records of this server, and the audit trail of the workspace."
      />
      <Tabs<Tab>
        label="Logs"
        value={TABS.find((one) => one === tab) ?? 'search'}
        onChange={(next) => void navigate({ search: { tab: next } })}
        items={[
          { value: 'search', label: 'Records', content: <LogSearch /> },
          { value: 'files', label: 'Files', content: <LogFiles /> },
          { value: 'audit', label: 'Audit', content: <AuditTrail /> },
        ]}
      />
    </>
  );
}
