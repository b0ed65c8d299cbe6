import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ToolDefinition } from '@trellis/contract/shapes/tool.ts';
import { Plus, Wrench } from 'lucide-react';
import { useState } from 'react';
import { useChangePermission } from '../../../app/permissions.ts';
import { atSkip } from '../../../app/search-params.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { PermissionNotice } from '../../manage/permission-notice.tsx';
import { providersQuery } from '../providers/provider-queries.ts';
import { DeleteToolDialog } from './delete-tool-dialog.tsx';
import { InstructionsForm } from './instructions-form.tsx';
import { JudgeForm } from './judge-form.tsx';
import { LlmSearchForm } from './llm-search-form.tsx';
import { ToolDialog } from './tool-dialog.tsx';
import { ToolMetricsTable } from './tool-metrics-table.tsx';
import { assistantSettingsQuery, llmSearchQuery, toolsQuery } from './tool-queries.ts';
import { ToolTable } from './tool-table.tsx';

const route = getRouteApi('/workspace/assistant/tools');

const TABS = ['tools', 'calls', 'search', 'instructions', 'judge'] as const;
type Tab = (typeof TABS)[number];

/**
 * What models can do here: endpoints that they may call, and what they may search (docs/tools.md).
 */
export function ToolsPage() {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const [isAdding, setIsAdding] = useState(false);
  const permission = useChangePermission();
  return (
    <>
      <PageHeader
        title="Tools"
        description="Endpoints that the assistant and other models may call under a name of their own. A tool is offered only to users who may run its endpoint."
        actions={
          <Button
            kind="primary"
            icon={Plus}
            disabled={!permission.isAllowed}
            onClick={() => setIsAdding(true)}
          >
            Add tool
          </Button>
        }
      />
      <PermissionNotice permission={permission} />
      <Tabs<Tab>
        label="Tools"
        value={TABS.find((known) => known === tab) ?? 'tools'}
        onChange={(next) => void navigate({ search: next === 'tools' ? {} : { tab: next } })}
        items={[
          { value: 'tools', label: 'Tools', content: <ToolList /> },
          { value: 'calls', label: 'Calls', content: <ToolMetricsTable /> },
          { value: 'search', label: 'Search by models', content: <LlmSearch /> },
          { value: 'instructions', label: 'Instructions', content: <Instructions /> },
          { value: 'judge', label: 'Judge', content: <Judge /> },
        ]}
      />
      {isAdding && <ToolDialog onClose={() => setIsAdding(false)} />}
    </>
  );
}

function ToolList() {
  const { skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const [edited, setEdited] = useState<ToolDefinition>();
  const [deleted, setDeleted] = useState<ToolDefinition>();
  const query = useQuery(toolsQuery(skip));
  return (
    <QueryView query={query} errorTitle="The tools could not be read">
      {(list) => (
        <Card isFlush>
          {list.items.length === 0 && skip === 0 ? (
            <EmptyState icon={Wrench} title="No tools yet">
              Models are offered read-only endpoints without a tool. Add a tool for an endpoint that
              writes, or to describe an endpoint better to models.
            </EmptyState>
          ) : (
            <ToolTable tools={list.items} onEdit={setEdited} onDelete={setDeleted} />
          )}
          <Pager
            {...list}
            shown={list.items.length}
            onSkip={(next) => void navigate({ search: atSkip(next) })}
          />
          {edited !== undefined && (
            <ToolDialog existing={edited} onClose={() => setEdited(undefined)} />
          )}
          {deleted !== undefined && (
            <DeleteToolDialog tool={deleted} onClose={() => setDeleted(undefined)} />
          )}
        </Card>
      )}
    </QueryView>
  );
}

function LlmSearch() {
  const query = useQuery(llmSearchQuery);
  return (
    <QueryView query={query} errorTitle="What models search could not be read">
      {(settings) => <LlmSearchForm settings={settings} />}
    </QueryView>
  );
}

function Instructions() {
  const query = useQuery(assistantSettingsQuery);
  return (
    <QueryView query={query} errorTitle="The instructions could not be read">
      {({ instructions }) => <InstructionsForm instructions={instructions} />}
    </QueryView>
  );
}

function Judge() {
  const settings = useQuery(assistantSettingsQuery);
  const providers = useQuery(providersQuery);
  return (
    <QueryView query={settings} errorTitle="The judge could not be read">
      {({ judge }) => (
        <QueryView query={providers} errorTitle="The providers could not be read">
          {(known) => <JudgeForm judge={judge} providers={known} />}
        </QueryView>
      )}
    </QueryView>
  );
}
