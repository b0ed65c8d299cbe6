import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Connector } from '@trellis/contract/shapes/connector.ts';
import { client } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { CONNECTORS_KEY } from './connector-queries.ts';

interface DeleteConnectorDialogProps {
  readonly connector: Connector;
  readonly onClose: () => void;
}

export function DeleteConnectorDialog({ connector, onClose }: DeleteConnectorDialogProps) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.connectors.delete(connector.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: CONNECTORS_KEY });
      toastDone('The connector is deleted', connector.name);
      onClose();
    },
    onError: (error) => toastError('The connector was not deleted', error),
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Delete the connector “${connector.name}”?`}
      action="Delete"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      What it has brought stays. Its secret and the list of its runs are gone.
    </ConfirmDialog>
  );
}
