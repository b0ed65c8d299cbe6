import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { TASKS_KEY } from './task-queries.ts';

interface DeleteTaskDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

export function DeleteTaskDialog({ name, onClose }: DeleteTaskDialogProps) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.tasks.delete(name),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: TASKS_KEY });
      toastDone('The task is deleted', name);
      onClose();
    },
    onError: (error) => toastError('The task was not deleted', error),
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Delete the task “${name}”?`}
      action="Delete"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      The log of its runs goes with it. Its endpoint stays.
    </ConfirmDialog>
  );
}
