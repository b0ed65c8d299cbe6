import { useChangePermission } from '../../../app/permissions.ts';
import { PageHeader } from '../../../ui/page-header.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { PermissionNotice } from '../../manage/permission-notice.tsx';
import { ResearchLimitsForm } from './research-limits-form.tsx';
import { useResearchSettings } from './research-queries.ts';
import { ResearchQueue } from './research-queue.tsx';
import { ResearchersForm } from './researchers-form.tsx';

/** What is studied now and waits, and how far a research may go (specification, section 4.6). */
export function ResearchPage() {
  const permission = useChangePermission();
  const settings = useResearchSettings();
  return (
    <>
      <PageHeader
        title="Deep research"
        description="Research that users started in their conversations. Their questions are private, and not shown here."
      />
      <PermissionNotice permission={permission} />
      <QueryView query={settings} errorTitle="The research could not be read" rows={10}>
        {(data) => (
          <div className="flex flex-col gap-5">
            <ResearchQueue settings={data} isAllowed={permission.isAllowed} />
            <div className="grid items-start gap-5 xl:grid-cols-2">
              <ResearchLimitsForm settings={data} isAllowed={permission.isAllowed} />
              <ResearchersForm researchers={data.researchers} isAllowed={permission.isAllowed} />
            </div>
          </div>
        )}
      </QueryView>
    </>
  );
}
