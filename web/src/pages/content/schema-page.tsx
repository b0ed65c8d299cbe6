import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useChangePermission } from '../../app/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { SchemaChanges } from './changes/schema-changes.tsx';
import { EdgeTypeDialog } from './edge-type-dialog.tsx';
import { FailedBuilds } from './indexes/failed-builds.tsx';
import { useIndexJobMessages, useWatchedSchema } from './indexes/index-queries.ts';
import { IndexList } from './indexes/index-list.tsx';
import { NodeTypeDialog } from './node-type-dialog.tsx';
import { SchemaConnections } from './schema-connections.tsx';
import { SchemaLists } from './schema-lists.tsx';

const route = getRouteApi('/workspace/admin/schema');
const TABS = ['list', 'indexes', 'picture', 'changes'] as const;

/** The types of nodes and edges, as lists and as a picture, and the indexes of their fields. */
export function SchemaPage() {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const schema = useWatchedSchema();
  const [adding, setAdding] = useState<'node' | 'edge'>();
  const close = () => setAdding(undefined);
  useIndexJobMessages();
  return (
    <>
      <PageHeader
        title="Schema"
        description="The types of nodes and edges, and their fields: add to them, or rename, retype and drop what is in use."
        actions={<AddButtons onAdd={setAdding} />}
      />
      <FailedBuilds />
      <QueryView query={schema} errorTitle="The schema could not be read">
        {(data) => (
          <Tabs
            label="Ways to look at the schema"
            value={TABS.find((one) => one === tab) ?? 'list'}
            onChange={(next) => void navigate({ search: { tab: next } })}
            items={[
              { value: 'list', label: 'List', content: <SchemaLists schema={data} /> },
              { value: 'indexes', label: 'Indexes', content: <IndexList schema={data} /> },
              {
                value: 'picture',
                label: 'Picture',
                content: <SchemaConnections schema={data} />,
              },
              { value: 'changes', label: 'Changes', content: <SchemaChanges schema={data} /> },
            ]}
          />
        )}
      </QueryView>
      {adding === 'node' && <NodeTypeDialog onClose={close} />}
      {adding === 'edge' && <EdgeTypeDialog onClose={close} />}
    </>
  );
}

function AddButtons({ onAdd }: { readonly onAdd: (kind: 'node' | 'edge') => void }) {
  const permission = useChangePermission();
  return (
    <>
      <Button
        icon={Plus}
        disabled={!permission.isAllowed}
        title={permission.reason}
        onClick={() => onAdd('edge')}
      >
        Edge type
      </Button>
      <Button
        kind="primary"
        icon={Plus}
        disabled={!permission.isAllowed}
        title={permission.reason}
        onClick={() => onAdd('node')}
      >
        Node type
      </Button>
    </>
  );
}
