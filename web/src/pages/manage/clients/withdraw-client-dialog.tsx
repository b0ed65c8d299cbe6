import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { OAuthClientRecord } from '@trellis/contract/shapes/oauth.ts';
import { client } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { CLIENTS_KEY } from './client-queries.ts';

interface WithdrawClientDialogProps {
  readonly withdrawn: OAuthClientRecord;
  readonly onClose: () => void;
}

export function WithdrawClientDialog({ withdrawn, onClose }: WithdrawClientDialogProps) {
  const queries = useQueryClient();
  const withdraw = useMutation({
    mutationFn: () => client.oauth.withdrawClient(withdrawn.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: CLIENTS_KEY });
      toastDone('The client is withdrawn', withdrawn.name);
      onClose();
    },
    onError: (error) => toastError('The client was not withdrawn', error),
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Withdraw the client “${withdrawn.name}”?`}
      action="Withdraw"
      isBusy={withdraw.isPending}
      onClose={onClose}
      onConfirm={() => withdraw.mutate()}
    >
      All its tokens are refused from their next request on, for every user. This cannot be undone:
      to come back, the program registers as a new client, and users let it in once more.
    </ConfirmDialog>
  );
}
