import { useQueryClient } from '@tanstack/react-query';
import { CHAT_TITLE_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import type { ChatSummary } from '@trellis/contract/shapes/chat.ts';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { CHATS_KEY } from './chat-queries.ts';

interface RenameChatDialogProps {
  readonly chat: ChatSummary;
  readonly onClose: () => void;
}

export function RenameChatDialog({ chat, onClose }: RenameChatDialogProps) {
  const queries = useQueryClient();
  const form = useForm({ defaultValues: { title: chat.title } });
  const { errors, isSubmitting } = form.formState;
  const rename = async ({ title }: { readonly title: string }) => {
    await client.chats.put(chat.UID, { title });
    await queries.invalidateQueries({ queryKey: CHATS_KEY });
    onClose();
  };
  return (
    <Dialog isOpen onClose={onClose} title="Rename the conversation">
      <ServerForm form={form} onSend={rename}>
        <TextField
          label="Title"
          dir="auto"
          autoComplete="off"
          maxLength={CHAT_TITLE_CHARACTERS_MAX}
          error={errors.title?.message}
          {...form.register('title', {
            validate: (title) => title.trim() !== '' || 'Enter a title.',
          })}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isSubmitting}>
            Rename
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}
