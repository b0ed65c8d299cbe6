import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SecretRecord } from '@trellis/contract/shapes/secret.ts';
import { client } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { secretsQuery } from './secret-queries.ts';

interface DeleteSecretDialogProps {
  readonly secret: SecretRecord;
  readonly onClose: () => void;
}

export function DeleteSecretDialog({ secret, onClose }: DeleteSecretDialogProps) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.secrets.delete(secret.name),
    onSuccess: async () => {
      await queries.invalidateQueries(secretsQuery);
      toastDone('The secret is deleted', secret.name);
      onClose();
    },
    onError: (error) => toastError('The secret was not deleted', error),
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Delete the secret “${secret.name}”?`}
      action="Delete"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      Requests of endpoints that name it are refused from then on. Its value cannot be brought back.
    </ConfirmDialog>
  );
}
