import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { llmStateQuery, providersQuery } from './provider-queries.ts';

const CONSEQUENCES = {
  chat: 'Its key is deleted. The assistant, agents and clients of the router no longer get answers; conversations stay.',
  embeddings:
    'Its key is deleted. Texts that change no longer get a vector; existing vectors stay.',
} as const;

interface RemoveProviderDialogProps {
  readonly kind: keyof typeof CONSEQUENCES;
  readonly onClose: () => void;
}

export function RemoveProviderDialog({ kind, onClose }: RemoveProviderDialogProps) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => client.aiProviders.put({ [kind]: null }),
    onSuccess: async (saved) => {
      queries.setQueryData(providersQuery.queryKey, saved);
      await queries.invalidateQueries({ queryKey: llmStateQuery.queryKey });
      toastDone(`The provider of ${kind} is removed`);
      onClose();
    },
    onError: (error) => toastError('The provider was not removed', error),
  });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Remove the provider of ${kind}?`}
      action="Remove"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      {CONSEQUENCES[kind]}
    </ConfirmDialog>
  );
}
