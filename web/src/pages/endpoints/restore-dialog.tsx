import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../ui/toast.ts';
import { endpointQuery, rememberEndpoint } from './endpoint-queries.ts';

interface RestoreDialogProps {
  readonly name: string;
  readonly version: number;
  /** The newest version that the list shows. */
  readonly seen: number | undefined;
  readonly onClose: () => void;
}

export function RestoreDialog({ name, version, seen, onClose }: RestoreDialogProps) {
  const queries = useQueryClient();
  const restore = useMutation({
    mutationFn: () =>
      client.codeHistory.restore('endpoint', name, {
        version,
        ...(seen !== undefined && { seen }),
      }),
    onSuccess: async (definition) => {
      toastDone(`Version ${version} is restored`, `As version ${definition.version}`);
      await rememberEndpoint(queries, definition);
      onClose();
    },
    onError: async (error) => {
      toastError('The version was not restored', error);
      await queries.invalidateQueries({ queryKey: ['endpoints', 'history', name] });
      await queries.invalidateQueries({ queryKey: endpointQuery(name).queryKey });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Restore version ${version} of “${name}”?`}
      action="Restore"
      isBusy={restore.isPending}
      onClose={onClose}
      onConfirm={() => restore.mutate()}
    >
      Its code and settings become a new version. All versions stay.
    </ConfirmDialog>
  );
}
