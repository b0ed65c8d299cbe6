import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ToolDefinition } from '@trellis/contract/shapes/tool.ts';
import { client } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { TOOLS_KEY } from './tool-queries.ts';

interface DeleteToolDialogProps {
  readonly tool: ToolDefinition;
  readonly onClose: () => void;
}

export function DeleteToolDialog({ tool, onClose }: DeleteToolDialogProps) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.tools.delete(tool.name),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: TOOLS_KEY });
      toastDone('The tool is deleted', tool.name);
      onClose();
    },
    onError: (error) => toastError('The tool was not deleted', error),
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Delete the tool “${tool.name}”?`}
      action="Delete"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      Models are not offered it any more. The endpoint <code>{tool.endpoint}</code> stays
      {tool.isReadOnly === true && ', and is offered under its own name again'}.
    </ConfirmDialog>
  );
}
