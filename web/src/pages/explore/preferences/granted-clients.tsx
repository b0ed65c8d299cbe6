import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import type { TokenRecord } from '@trellis/contract/shapes/token.ts';
import { useState } from 'react';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { DataTable } from '../../../ui/data-table.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone } from '../../../ui/toast.ts';

const GRANTS_KEY = ['oauth-grants'] as const;

/** The programs that act as the viewer, over the Model Context Protocol; nothing without one. */
export function GrantedClients() {
  const [ended, setEnded] = useState<TokenRecord>();
  const { data, error } = useQuery({
    queryKey: GRANTS_KEY,
    queryFn: ({ signal }) => client.oauth.grants({ take: LIST_TAKE_MAX }, { signal }),
  });
  if (error !== null) return <ErrorPanel title="The programs could not be read" error={error} />;
  if (data === undefined || data.total === 0) return null;
  return (
    <Card
      title="Programs that act as you"
      description="You have let them read and search here, with your rights."
      isFlush
    >
      <DataTable
        label="Programs that act as you"
        rows={data.items}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Program',
            cell: ({ name }) => <span className="font-medium wrap-anywhere">{name}</span>,
          },
          { title: 'Allowed', cell: ({ createdAt }) => <Time iso={createdAt} /> },
          {
            title: 'Last used',
            cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Time iso={lastUsedAt} />),
          },
          {
            title: 'Actions',
            isTitleHidden: true,
            cell: (one) => (
              <Button
                size="small"
                aria-label={`End access of ${one.name}`}
                onClick={() => setEnded(one)}
              >
                End access
              </Button>
            ),
          },
        ]}
      />
      {ended !== undefined && <EndDialog grant={ended} onClose={() => setEnded(undefined)} />}
    </Card>
  );
}

function EndDialog(props: { readonly grant: TokenRecord; readonly onClose: () => void }) {
  const { grant, onClose } = props;
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => client.oauth.endGrant(grant.id),
    onSuccess: async () => {
      toastDone('The access has ended', grant.name);
      onClose();
      await queries.invalidateQueries({ queryKey: GRANTS_KEY });
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={`End the access of ${grant.name}?`}
      action="End access"
      isBusy={end.isPending}
      onClose={onClose}
      onConfirm={() => end.mutate()}
    >
      {end.isError && <ErrorPanel title="The access did not end" error={end.error} />}
      <p>It is refused from its next request on. To use it again, let it in once more.</p>
    </ConfirmDialog>
  );
}
