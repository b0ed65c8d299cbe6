import { useQuery } from '@tanstack/react-query';
import type { Catalog } from '@trellis/contract/shapes/build.ts';
import { getRouteApi } from '@tanstack/react-router';
import { ListTree, Plus } from 'lucide-react';
import { Suspense, useState } from 'react';
import { client } from '../../api/client.ts';
import { useChangePermission } from '../../app/permissions.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { CheckboxField, TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { useCompileStatus } from '../endpoints/endpoint-queries.ts';
import { CodeItemLink } from './code-item-link.tsx';

/** With the editor of code, which who only looks does not need. */
const ModuleDialog = lazyPart(
  async () => (await import('./modules/module-dialog.tsx')).ModuleDialog,
);

type Item = Catalog['items'][number];

const route = getRouteApi('/workspace/admin/build');

/** Everything custom, by folder, with what fails first (specification, section 4.7). */
export function BuildTreePage() {
  const catalog = useQuery({
    queryKey: ['build-catalog'],
    queryFn: ({ signal }) => client.build.getCatalog({ signal }),
  });
  const status = useCompileStatus();
  const failing = new Set(status.data?.FailingIds);
  const permission = useChangePermission();
  const [isAdding, setIsAdding] = useState(false);
  const { module } = route.useSearch();
  const navigate = route.useNavigate();
  const close = () => {
    setIsAdding(false);
    if (module !== undefined) void navigate({ search: {} });
  };
  return (
    <>
      <PageHeader
        title="Build tree"
        description="All code of the workspace, and whether it compiles against the schema as it is now."
        actions={
          <Button
            kind="primary"
            icon={Plus}
            disabled={!permission.isAllowed}
            title={permission.reason}
            onClick={() => setIsAdding(true)}
          >
            Add module
          </Button>
        }
      />
      {status.data?.Pending === true && (
        <div className="mb-4">
          <Notice tone="info">Code is being checked against the schema.</Notice>
        </div>
      )}
      <QueryView query={catalog} errorTitle="The catalog could not be read">
        {({ items }) => <Tree items={items} failing={failing} />}
      </QueryView>
      {(isAdding || module !== undefined) && (
        <Suspense>
          <ModuleDialog key={module} name={isAdding ? undefined : module} onClose={close} />
        </Suspense>
      )}
    </>
  );
}

function Tree({
  items,
  failing,
}: {
  readonly items: readonly Item[];
  readonly failing: Set<string>;
}) {
  const [filter, setFilter] = useState('');
  const [isFailingOnly, setIsFailingOnly] = useState(false);
  const shown = items.filter(
    ({ uid, name }) =>
      name.toLowerCase().includes(filter.trim().toLowerCase()) &&
      (!isFailingOnly || failing.has(uid)),
  );
  const migrations = shown.filter(({ kind }) => kind === 'migration');
  const modules = shown.filter(({ kind }) => kind === 'module');
  return (
    <>
      <div className="mb-4 flex flex-wrap items-end gap-4">
        <TextField
          label="Filter by name"
          className="w-full sm:w-72"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <CheckboxField
          label={`Failing only (${failing.size})`}
          className="pb-2"
          checked={isFailingOnly}
          onChange={(event) => setIsFailingOnly(event.target.checked)}
        />
      </div>
      {shown.length === 0 ? (
        <Card>
          <EmptyState
            icon={ListTree}
            title={items.length === 0 ? 'No code yet' : 'Nothing matches the filter'}
          >
            {items.length === 0 && 'Endpoints, modules and migrations that you write appear here.'}
          </EmptyState>
        </Card>
      ) : (
        <div className="flex flex-col gap-4">
          {foldersOf(shown).map(([folder, inside]) => (
            <FolderCard
              key={folder}
              title={folder === '' ? 'Endpoints' : `${folder}/`}
              folder={folder}
              items={inside}
              failing={failing}
            />
          ))}
          {modules.length > 0 && (
            <FolderCard title="Modules" folder="" items={modules} failing={failing} />
          )}
          {migrations.length > 0 && (
            <FolderCard title="Migrations" folder="" items={migrations} failing={failing} />
          )}
        </div>
      )}
    </>
  );
}

interface FolderCardProps {
  readonly title: string;
  readonly folder: string;
  readonly items: readonly Item[];
  readonly failing: Set<string>;
}

function FolderCard({ title, folder, items, failing }: FolderCardProps) {
  return (
    <Card title={title} isFlush>
      <ul className="divide-y border-t">
        {items.map((item) => (
          <li key={item.uid} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
            <CodeItemLink
              item={item}
              text={folder === '' ? item.name : item.name.slice(folder.length + 1)}
              className="min-w-0 font-medium break-all"
            />
            {failing.has(item.uid) && <Badge tone="danger">Does not compile</Badge>}
            {item.isReadOnly === true && <Badge>Read-only</Badge>}
            {item.isBuiltIn === true && <Badge tone="info">Built in</Badge>}
            <span className="ml-auto text-[13px] text-muted">
              <Time iso={item.updatedAt} /> {item.updatedBy !== null && `by ${item.updatedBy.name}`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The folders of endpoints by name, the root first. */
function foldersOf(items: readonly Item[]): [string, Item[]][] {
  const endpoints = items.filter(({ kind }) => kind === 'endpoint');
  const folders = Map.groupBy(endpoints, ({ folder }) => folder);
  return [...folders].toSorted(([left], [right]) => left.localeCompare(right));
}
