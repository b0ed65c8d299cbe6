import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { toastDone } from '../../../ui/toast.ts';
import { schemaQuery } from '../schema.ts';
import { namedBy } from './field-index.ts';
import type { ListedIndex } from './index-queries.ts';

interface RemoveIndexDialogProps {
  readonly index: ListedIndex;
  readonly onClose: () => void;
}

export function RemoveIndexDialog({ index, onClose }: RemoveIndexDialogProps) {
  const { type, names, document } = index;
  const over = names.join(', ');
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.schema.removeIndex({ type, ...namedBy(names) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: schemaQuery.queryKey });
      toastDone('The index is removed', `${type}: ${over}`);
      onClose();
    },
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Remove the index of ${type} over ${over}?`}
      action="Remove"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      {remove.isError && <ErrorPanel title="The index was not removed" error={remove.error} />}
      <p>
        {document.state === 'ready'
          ? `Queries that use it then read every ${type} node again, and may become slow.`
          : 'No query uses it yet; the server stops building it.'}
        {document.unique === true && ` Two ${type} nodes may then share the value.`} The nodes stay
        as they are.
      </p>
    </ConfirmDialog>
  );
}
