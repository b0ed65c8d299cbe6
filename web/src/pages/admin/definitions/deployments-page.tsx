import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Deployment } from '@trellis/contract/shapes/deployment.ts';
import { Rocket } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { atSkip } from '../../../app/search-params.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { formatDateTime } from '../../../ui/format.ts';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { CAUSES, changesText, doerOf } from './deployment-words.ts';
import { DeploymentPanel } from './deployment-panel.tsx';

const route = getRouteApi('/workspace/admin/deployments');
const TAKE = 25;

/** What was deployed, by whom, and the way back. */
export function DeploymentsPage() {
  const { deployment, skip = 0 } = route.useSearch();
  const navigate = route.useNavigate();
  const deployments = useQuery({
    queryKey: ['deployments', skip],
    queryFn: ({ signal }) => client.deployments.list({ skip, take: TAKE }, { signal }),
    placeholderData: (last) => last,
  });
  const open = (id: string | undefined): void =>
    void navigate({ search: (last) => ({ ...last, deployment: id }) });
  return (
    <>
      <PageHeader
        title="Deployments"
        description="States of schema, settings and code that pushes and imports have left. You can go back to each."
      />
      <Card isFlush>
        <QueryView query={deployments} errorTitle="The deployments could not be read">
          {({ items, total }) =>
            items.length === 0 ? (
              <EmptyState icon={Rocket} title="No deployments yet">
                <code className="font-mono">trellis push</code>, or an import on the page
                Definitions, makes the first.
              </EmptyState>
            ) : (
              <>
                <DeploymentTable items={items} onOpen={open} />
                <Pager
                  {...{ skip, total }}
                  take={TAKE}
                  shown={items.length}
                  onSkip={(next) => void navigate({ search: atSkip(next) })}
                />
              </>
            )
          }
        </QueryView>
      </Card>
      {deployment !== undefined && (
        <DeploymentPanel key={deployment} id={deployment} onClose={() => open(undefined)} />
      )}
    </>
  );
}

interface DeploymentTableProps {
  readonly items: readonly Deployment[];
  readonly onOpen: (id: string) => void;
}

function DeploymentTable({ items, onOpen }: DeploymentTableProps) {
  return (
    <DataTable
      label="Deployments"
      rows={items}
      keyOf={({ id }) => id}
      columns={[
        { title: 'When', cell: ({ at }) => <Time iso={at} /> },
        {
          title: 'Cause',
          cell: ({ cause }) => <Badge tone={CAUSES[cause].tone}>{CAUSES[cause].word}</Badge>,
        },
        { title: 'By', isMinor: true, cell: doerOf },
        { title: 'Changes', cell: changesText },
        {
          title: 'Actions',
          isTitleHidden: true,
          cell: ({ id, at }) => (
            <span className="flex justify-end">
              <Button size="small" onClick={() => onOpen(id)}>
                Show<span className="sr-only"> the deployment of {formatDateTime(at)}</span>
              </Button>
            </span>
          ),
        },
      ]}
    />
  );
}
