import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Plus, SquareCode } from 'lucide-react';
import { useState } from 'react';
import { useChangePermission } from '../../app/permissions.ts';
import { useRequestedAction } from '../../app/requested-action.ts';
import { Button, buttonClasses } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ListSearch } from '../../ui/list-search.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { CompileStatusCard } from './compile-status-card.tsx';
import { endpointListQuery, type EndpointSummary, useCompileStatus } from './endpoint-queries.ts';
import { EndpointTree } from './endpoint-tree-view.tsx';
import { NewEndpointDialog } from './new-endpoint-dialog.tsx';

const route = getRouteApi('/workspace/endpoints');

export function EndpointListPage() {
  const { query = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [isCreating, setIsCreating] = useState(false);
  const permission = useChangePermission();
  useRequestedAction('new endpoint', () => setIsCreating(true));
  const endpoints = useQuery(endpointListQuery);
  const create = (
    <Button
      kind="primary"
      icon={Plus}
      disabled={!permission.isAllowed}
      title={permission.reason}
      onClick={() => setIsCreating(true)}
    >
      New endpoint
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Endpoints"
        description="Code of your own that runs in the server, next to the graph."
        actions={
          <>
            <Link to="/endpoints/metrics" className={buttonClasses()}>
              Metrics
            </Link>
            {create}
          </>
        }
      />
      <QueryView query={endpoints} errorTitle="The endpoints could not be read" rows={8}>
        {(all) => (
          <div className="flex flex-col gap-4">
            <CompileStatusCard endpoints={all} />
            <ListSearch
              label="Find an endpoint"
              query={query}
              className="w-full sm:w-80"
              onSearch={(next) =>
                void navigate({ search: next === '' ? {} : { query: next }, replace: true })
              }
            />
            <EndpointsFound all={all} query={query} />
          </div>
        )}
      </QueryView>
      {isCreating && <NewEndpointDialog onClose={() => setIsCreating(false)} />}
    </>
  );
}

interface EndpointsFoundProps {
  readonly all: readonly EndpointSummary[];
  readonly query: string;
}

function EndpointsFound({ all, query }: EndpointsFoundProps) {
  const failing = useCompileStatus().data?.FailingIds;
  const found = all.filter((endpoint) => isFoundBy(endpoint, query.toLowerCase()));
  if (found.length === 0) {
    return (
      <Card>
        <EmptyState icon={SquareCode} title="No endpoint matches">
          Its name and its description are searched for “{query}”.
        </EmptyState>
      </Card>
    );
  }
  return (
    <Card isFlush>
      <EndpointTree key={query} endpoints={found} failing={failing} isFiltered={query !== ''} />
    </Card>
  );
}

function isFoundBy({ name, description }: EndpointSummary, query: string): boolean {
  return `${name}\n${description}`.toLowerCase().includes(query);
}
