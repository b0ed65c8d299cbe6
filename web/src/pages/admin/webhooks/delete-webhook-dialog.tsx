import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Webhook } from '@trellis/contract/shapes/webhook.ts';
import { client } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { WEBHOOKS_KEY } from './webhook-queries.ts';

interface DeleteWebhookDialogProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

export function DeleteWebhookDialog({ webhook, onClose }: DeleteWebhookDialogProps) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.webhooks.delete(webhook.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: WEBHOOKS_KEY });
      toastDone('The webhook is deleted', webhook.name);
      onClose();
    },
    onError: (error) => toastError('The webhook was not deleted', error),
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Delete the webhook “${webhook.name}”?`}
      action="Delete"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      Nothing is sent any more. Its secret and its list of deliveries are gone, too.
    </ConfirmDialog>
  );
}
