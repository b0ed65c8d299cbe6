import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ChatSummary } from '@trellis/contract/shapes/chat.ts';
import { client } from '../../../api/client.ts';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import { CHATS_KEY } from './chat-queries.ts';

const route = getRouteApi('/workspace/chat/{-$uid}');

interface DeleteChatDialogProps {
  readonly chat: ChatSummary;
  /** Whether it is what the page shows. */
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function DeleteChatDialog({ chat, isOpen, onClose }: DeleteChatDialogProps) {
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const remove = useMutation({
    mutationFn: () => client.chats.delete(chat.UID),
    onSuccess: async () => {
      // Away from it first: what is gone is not read again.
      if (isOpen)
        await navigate({ params: { uid: undefined }, search: ({ query }) => ({ query }) });
      await queries.invalidateQueries({ queryKey: [...CHATS_KEY, 'list'] });
      toastDone('The conversation is deleted', chat.title);
      onClose();
    },
    onError: (error) => toastError('The conversation was not deleted', error),
  });
  return (
    <ConfirmDialog
      isOpen
      title={`Delete “${chat.title || 'New conversation'}”?`}
      action="Delete"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate()}
    >
      All its messages are deleted with it. This cannot be undone.
    </ConfirmDialog>
  );
}
