import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { TokenRecord } from '@trellis/contract/shapes/token.ts';
import { client } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';

interface RevokeTokenDialogProps {
  readonly token: TokenRecord;
  readonly onClose: () => void;
}

export function RevokeTokenDialog({ token, onClose }: RevokeTokenDialogProps) {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => client.tokens.revoke(token.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['tokens'] });
      toastDone('The token is revoked', token.name);
      onClose();
    },
    onError: (error) => toastError('The token was not revoked', error),
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Revoke the token “${token.name}”?`}
      action="Revoke"
      isBusy={revoke.isPending}
      onClose={onClose}
      onConfirm={() => revoke.mutate()}
    >
      Programs that use it are refused from their next request on. This cannot be undone: a new
      token has another value.
    </ConfirmDialog>
  );
}
