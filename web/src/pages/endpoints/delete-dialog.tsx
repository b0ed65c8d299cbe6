import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { client } from '../../api/client.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { endpointQuery, forgetLists } from './endpoint-queries.ts';
import { keepDraft } from './kept-drafts.ts';

interface DeleteDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function DeleteDialog({ name, onClose }: DeleteDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const deletion = useMutation({
    mutationFn: () => client.endpoints.delete(name),
    onSuccess: async () => {
      keepDraft(name, undefined);
      toastDone('The endpoint is deleted', name);
      await navigate({ to: '/endpoints', ignoreBlocker: true });
      queries.removeQueries({ queryKey: endpointQuery(name).queryKey });
      await forgetLists(queries, name);
    },
    onError: (error) => toastError('The endpoint was not deleted', error),
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Delete the endpoint “${name}”?`}
      action="Delete"
      isBusy={deletion.isPending}
      onClose={onClose}
      onConfirm={() => deletion.mutate()}
    >
      Whoever calls it gets “not found” from then on. Its versions stay in the history, and it can
      be restored from there.
    </ConfirmDialog>
  );
}
