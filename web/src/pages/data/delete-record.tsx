import type { NodeRecordDocument } from '@trellis/contract/shapes/node-write.ts';
import { useMutation } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { labelOf } from '../../api/node-label.ts';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { toastDone, toastError } from '../../ui/toast.ts';
import { useChangedNodes } from './use-saved-record.ts';

interface DeleteRecordProps {
  readonly record: NodeRecordDocument;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Asks before a node goes, and says what goes with it. */
export function DeleteRecord({ record, isOpen, onClose, onDeleted }: DeleteRecordProps) {
  const { node, version, edges, files } = record;
  const onChanged = useChangedNodes();
  const remove = useMutation({
    mutationFn: () => client.nodes.delete(node.UID, version === null ? {} : { ifVersion: version }),
    onSuccess: async () => {
      toastDone('The node is deleted', labelOf(node));
      onDeleted();
      await onChanged();
    },
    onError: (error) => toastError('The node was not deleted', error),
  });
  const links = edges.map(({ edge, direction, count }) => {
    return `${formatCount(count)} ${direction === 'out' ? '' : 'incoming '}${edge}`;
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete ${labelOf(node)}?`}
      action="Delete"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>It cannot be had again, nor can its history.</p>
      {links.length > 0 && <p className="mt-1">Its links go with it: {links.join(', ')}.</p>}
      {files > 0 && (
        <p className="mt-1">
          {files === 1 ? 'Its file goes' : `Its ${formatCount(files)} files go`} with it.
        </p>
      )}
    </ConfirmDialog>
  );
}
