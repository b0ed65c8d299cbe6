import { useQuery } from '@tanstack/react-query';
import { Cable } from 'lucide-react';
import { useState } from 'react';
import type { Connector } from '@trellis/contract/shapes/connector.ts';
import { tellsOfJobs, tellsOfView, useLiveQueries } from '../../../app/live-queries.ts';
import { ListPage } from '../../manage/list-page.tsx';
import { ConnectorAccessPanel } from './connector-access-panel.tsx';
import { ConnectorDialog } from './connector-dialog.tsx';
import { CONNECTORS_KEY, connectorsQuery } from './connector-queries.ts';
import { ConnectorRunsPanel } from './connector-runs-panel.tsx';
import { ConnectorTable } from './connector-table.tsx';
import { DeleteConnectorDialog } from './delete-connector-dialog.tsx';

const tellsOfSettings = tellsOfView('connectors');
// Each run is the job of a task.
const tellsOfRuns = tellsOfJobs('task');

/** Sources that the server brings into the workspace (docs/connectors.md). */
export function ConnectorsPage() {
  /** The one that is changed; null for a new one. */
  const [edited, setEdited] = useState<Connector | null>();
  const [deleted, setDeleted] = useState<Connector>();
  const [opened, setOpened] = useState<Connector>();
  const [compared, setCompared] = useState<Connector>();
  useLiveQueries(CONNECTORS_KEY, tellsOfSettings);
  useLiveQueries(CONNECTORS_KEY, tellsOfRuns);
  const query = useQuery({ ...connectorsQuery, select: ({ items }) => items });
  return (
    <ListPage
      title="Connectors"
      description="Sources of others that the server brings into the workspace, again and again."
      addLabel="Add connector"
      onAdd={() => setEdited(null)}
      query={query}
      errorTitle="The connectors could not be read"
      empty={{
        icon: Cable,
        title: 'No connectors yet',
        text: 'Add a table, a database, files, a mailbox or a directory that belongs into the workspace.',
      }}
      list={(items) => (
        <ConnectorTable
          connectors={items}
          onEdit={setEdited}
          onDelete={setDeleted}
          onRuns={setOpened}
          onAccess={setCompared}
        />
      )}
    >
      {edited !== undefined && (
        <ConnectorDialog connector={edited} onClose={() => setEdited(undefined)} />
      )}
      {deleted !== undefined && (
        <DeleteConnectorDialog connector={deleted} onClose={() => setDeleted(undefined)} />
      )}
      {opened !== undefined && (
        <ConnectorRunsPanel connector={opened} onClose={() => setOpened(undefined)} />
      )}
      {compared !== undefined && (
        <ConnectorAccessPanel connector={compared} onClose={() => setCompared(undefined)} />
      )}
    </ListPage>
  );
}
