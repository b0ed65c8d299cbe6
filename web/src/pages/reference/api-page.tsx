import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { FileJson, SearchX } from 'lucide-react';
import { useMemo } from 'react';
import type { ApiDocument } from '@trellis/contract/shapes/workspace.ts';
import { client } from '../../api/client.ts';
import { classNames } from '../../ui/class-names.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListSearch } from '../../ui/list-search.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { describedApi, type ApiOperation, type DescribedApi } from './described-api.ts';
import { OperationView } from './operation-view.tsx';
import { PathText } from './path-text.tsx';

/** Every operation of the API, from the OpenAPI document that the server gives to this user. */
export function ApiPage() {
  const document = useQuery({
    queryKey: ['api-document'],
    queryFn: ({ signal }) => client.workspace.getApiDocument({ signal }),
  });
  return (
    <>
      <PageHeader
        title="API"
        description="What programs can do here over HTTP, custom endpoints included. As a document: /api/openapi.json."
      />
      <QueryView query={document} errorTitle="The API could not be read" rows={12}>
        {(read) => <Reference document={read} />}
      </QueryView>
    </>
  );
}

function Reference({ document }: { readonly document: ApiDocument }) {
  const api = useMemo(() => describedApi(document), [document]);
  const { query = '', operation: shownId } = useSearch({ from: '/workspace/api' });
  const navigate = useNavigate();
  const groups = matching(api, query);
  const shown = api.groups.flatMap((group) => group.operations).find(({ id }) => id === shownId);
  return (
    <div className="grid gap-6 lg:grid-cols-[20rem_minmax(0,1fr)]">
      <div className="flex min-w-0 flex-col gap-3">
        <ListSearch
          label="Find an operation"
          query={query}
          onSearch={(next) =>
            void navigate({
              to: '/api',
              search: (old) => ({ ...old, query: next === '' ? undefined : next }),
              replace: true,
            })
          }
        />
        {groups.length === 0 && <EmptyState icon={SearchX} title="No operation matches" />}
        <nav
          aria-label="Operations"
          className="flex flex-col gap-4 lg:max-h-[75vh] lg:overflow-y-auto"
        >
          {groups.map(({ name, title, description, operations }) => (
            <div key={name} role="group" aria-label={title}>
              <h2 className="font-semibold">{title}</h2>
              <p className="text-[13px] text-muted">{description}</p>
              <ul className="mt-1 flex flex-col">
                {operations.map((one) => (
                  <li key={one.id}>
                    <OperationLink operation={one} isShown={one === shown} />
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
      </div>
      <div className="min-w-0">
        {shown === undefined ? (
          <EmptyState icon={FileJson} title="Choose an operation" />
        ) : (
          <OperationView key={shown.id} operation={shown} shapes={api.shapes} />
        )}
      </div>
    </div>
  );
}

function OperationLink({
  operation: { id, method, path, summary },
  isShown,
}: {
  readonly operation: ApiOperation;
  readonly isShown: boolean;
}) {
  return (
    <Link
      to="/api"
      search={(old) => ({ ...old, operation: id })}
      aria-current={isShown ? 'true' : undefined}
      title={summary}
      className={classNames(
        'block rounded-control px-2 py-1 font-mono text-[13px] wrap-break-word hover:bg-sunken',
        isShown && 'bg-sunken',
      )}
    >
      <span className="font-semibold">{method}</span> <PathText path={path} />
    </Link>
  );
}

/** Each word must stand somewhere in an operation. */
function matching({ groups }: DescribedApi, query: string): DescribedApi['groups'] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ id, tag, method, path, summary, description }: ApiOperation): boolean => {
    const text = [id, tag, method, path, summary, description].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return groups
    .map((group) => ({ ...group, operations: group.operations.filter(fits) }))
    .filter(({ operations }) => operations.length > 0);
}
