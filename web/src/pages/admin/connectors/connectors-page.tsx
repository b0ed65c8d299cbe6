import { useQuery } from '@tanstack/react-query';
import { Cable, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Connector } from '@trellis/contract/shapes/connector.ts';
import { useChangePermission } from '../../../app/permissions.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { PermissionNotice } from '../../manage/permission-notice.tsx';
import { ConnectorDialog } from './connector-dialog.tsx';
import { connectorsQuery } from './connector-queries.ts';
import { ConnectorRunsPanel } from './connector-runs-panel.tsx';
import { ConnectorTable } from './connector-table.tsx';
import { DeleteConnectorDialog } from './delete-connector-dialog.tsx';

/** Sources that the server brings into the workspace (docs/connectors.md). */
export function ConnectorsPage() {
  /** The one that is changed; null for a new one. */
  const [edited, setEdited] = useState<Connector | null>();
  const [deleted, setDeleted] = useState<Connector>();
  const [opened, setOpened] = useState<Connector>();
  const permission = useChangePermission();
  const query = useQuery(connectorsQuery);
  return (
    <>
      <PageHeader
        title="Connectors"
        description="Sources of others that the server brings into the workspace, again and again."
        actions={
          <Button
            kind="primary"
            icon={Plus}
            disabled={!permission.isAllowed}
            onClick={() => setEdited(null)}
          >
            Add connector
          </Button>
        }
      />
      <PermissionNotice permission={permission} />
      <QueryView query={query} errorTitle="The connectors could not be read">
        {({ items }) => (
          <Card isFlush>
            {items.length === 0 ? (
              <EmptyState icon={Cable} title="No connectors yet">
                Add a table or a database whose rows belong into the workspace.
              </EmptyState>
            ) : (
              <ConnectorTable
                connectors={items}
                onEdit={setEdited}
                onDelete={setDeleted}
                onRuns={setOpened}
              />
            )}
          </Card>
        )}
      </QueryView>
      {edited !== undefined && (
        <ConnectorDialog connector={edited} onClose={() => setEdited(undefined)} />
      )}
      {deleted !== undefined && (
        <DeleteConnectorDialog connector={deleted} onClose={() => setDeleted(undefined)} />
      )}
      {opened !== undefined && (
        <ConnectorRunsPanel connector={opened} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
}
