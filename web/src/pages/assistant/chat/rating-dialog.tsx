import { useQueryClient } from '@tanstack/react-query';
import { CHAT_COMMENT_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { useForm } from 'react-hook-form';
import { client } from '../../../api/client.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions } from '../../../ui/dialog.tsx';
import { TextArea } from '../../../ui/field.tsx';
import { ServerForm } from '../../../ui/server-form.tsx';
import { toastDone } from '../../../ui/toast.ts';
import type { ChatReply } from '../conversation/end-note.tsx';
import { chatQuery } from './chat-queries.ts';

interface RatingDialogProps {
  readonly chatUid: string;
  readonly message: ChatReply;
  readonly value: 'up' | 'down';
  readonly onClose: () => void;
}

const WORDS = {
  up: { title: 'Rate it a good answer', comment: 'What is good about it' },
  down: { title: 'Rate it a bad answer', comment: 'What is wrong with it' },
} as const;

/** Says who will see the conversation before the rating is sent. */
export function RatingDialog({ chatUid, message, value, onClose }: RatingDialogProps) {
  const queries = useQueryClient();
  const form = useForm({ defaultValues: { comment: message.feedback?.comment ?? '' } });
  const { errors, isSubmitting } = form.formState;
  const { title, comment: label } = WORDS[value];
  const send = async ({ comment }: { comment: string }) => {
    const said = comment.trim();
    await client.chats.putFeedback(chatUid, message.UID, {
      value,
      ...(said !== '' && { comment: said }),
    });
    await queries.invalidateQueries({ queryKey: chatQuery(chatUid).queryKey });
    toastDone('Thank you for your rating', 'Press the button again to take it back.');
    onClose();
  };
  return (
    <Dialog
      isOpen
      keepsOpen
      onClose={onClose}
      title={title}
      description="Administrators can then read this conversation up to this answer. Nobody reads what you say later. You can take the rating back at any time."
    >
      <ServerForm form={form} onSend={send}>
        <TextArea
          label={label}
          hint="Optional"
          rows={3}
          dir="auto"
          maxLength={CHAT_COMMENT_CHARACTERS_MAX}
          error={errors.comment?.message}
          {...form.register('comment')}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isSubmitting}>
            Send rating
          </Button>
        </DialogActions>
      </ServerForm>
    </Dialog>
  );
}
