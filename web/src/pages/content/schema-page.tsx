import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useChangePermission } from '../../app/permissions.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { EdgeTypeDialog } from './edge-type-dialog.tsx';
import { NodeTypeDialog } from './node-type-dialog.tsx';
import { schemaQuery } from './schema.ts';
import { SchemaLists } from './schema-lists.tsx';

const SchemaPicture = lazy(async () => ({
  default: (await import('./schema-picture.tsx')).SchemaPicture,
}));

const route = getRouteApi('/workspace/admin/schema');

/** The types of nodes and edges: as lists, as a picture, and to be added to. */
export function SchemaPage() {
  const { tab } = route.useSearch();
  const navigate = route.useNavigate();
  const schema = useQuery(schemaQuery);
  const [adding, setAdding] = useState<'node' | 'edge'>();
  const close = () => setAdding(undefined);
  return (
    <>
      <PageHeader
        title="Schema"
        description="The types of nodes and edges. Changes can add and widen; a change that would lose data is refused."
        actions={<AddButtons onAdd={setAdding} />}
      />
      <QueryView query={schema} errorTitle="The schema could not be read">
        {(data) => (
          <Tabs
            label="Ways to look at the schema"
            value={tab === 'picture' ? 'picture' : 'list'}
            onChange={(next) => void navigate({ search: { tab: next } })}
            items={[
              { value: 'list', label: 'List', content: <SchemaLists schema={data} /> },
              {
                value: 'picture',
                label: 'Picture',
                content: (
                  <Card isFlush>
                    <Suspense fallback={<Skeleton />}>
                      <SchemaPicture schema={data} />
                    </Suspense>
                  </Card>
                ),
              },
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
