import { useQuery } from '@tanstack/react-query';
import type { OAuthClientRecord } from '@trellis/contract/shapes/oauth.ts';
import { useNames } from '../../../api/names.ts';
import { DataTable } from '../../../ui/data-table.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Time } from '../../../ui/time.tsx';
import { clientGrantsQuery } from './client-queries.ts';

interface ClientUsersDialogProps {
  readonly shown: OAuthClientRecord;
  readonly onClose: () => void;
}

/** Who has let the client in. Of many, the newest. */
export function ClientUsersDialog({ shown, onClose }: ClientUsersDialogProps) {
  const query = useQuery(clientGrantsQuery(shown.id));
  const nameOf = useNames(query.data?.items.flatMap(({ actingUser }) => actingUser ?? []) ?? []);
  return (
    <Dialog
      isOpen
      size="wide"
      onClose={onClose}
      title={`Users of ${shown.name}`}
      description="The page Tokens ends the access to one of them."
    >
      <QueryView query={query} errorTitle="The users could not be read">
        {({ items, total }) => (
          <>
            <DataTable
              label={`Users of ${shown.name}`}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'User',
                  cell: ({ actingUser }) => (
                    <bdi className="font-medium">{actingUser !== null && nameOf(actingUser)}</bdi>
                  ),
                },
                { title: 'Allowed', cell: ({ createdAt }) => <Time iso={createdAt} /> },
                {
                  title: 'Last used',
                  cell: ({ lastUsedAt }) =>
                    lastUsedAt === null ? 'Never' : <Time iso={lastUsedAt} />,
                },
              ]}
            />
            {total > items.length && (
              <p className="pt-3 text-[13px] text-muted">
                The newest {items.length} of {total}.
              </p>
            )}
          </>
        )}
      </QueryView>
    </Dialog>
  );
}
