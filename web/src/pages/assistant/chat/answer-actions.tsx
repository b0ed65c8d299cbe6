import type { ChatMessage } from '@trellis/contract/shapes/chat.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RefreshCw, ThumbsDown, ThumbsUp } from 'lucide-react';
import { client } from '../../../api/client.ts';
import { formatCount } from '../../../ui/format.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastError } from '../../../ui/toast.ts';
import { chatQuery } from './chat-queries.ts';

export type ChatReply = Extract<ChatMessage, { role: 'assistant' }>;

interface AnswerActionsProps {
  readonly chatUid: string;
  readonly message: ChatReply;
  readonly isLocked: boolean;
  /** Undefined where others come after it: they would go. */
  readonly onRegenerate: (() => void) | undefined;
}

export function AnswerActions({ chatUid, message, isLocked, onRegenerate }: AnswerActionsProps) {
  const { text, model, usage, at } = message;
  const tokens = usage === null ? undefined : usage.inputTokens + usage.outputTokens;
  return (
    <div className="flex flex-wrap items-center gap-1 text-[13px] text-muted">
      {text !== '' && <CopyButton text={text} />}
      {onRegenerate !== undefined && (
        <IconButton
          icon={RefreshCw}
          size="small"
          label="Answer again"
          disabled={isLocked}
          onClick={onRegenerate}
        />
      )}
      <Feedback chatUid={chatUid} message={message} />
      <p className="ml-auto flex flex-wrap gap-x-2 text-right">
        {model !== '' && <span>{model}</span>}
        {tokens !== undefined && <span>{formatCount(tokens)} tokens</span>}
        <Time iso={at} />
      </p>
    </div>
  );
}

const CHOICES = [
  { value: 'up', label: 'Good answer', icon: ThumbsUp },
  { value: 'down', label: 'Bad answer', icon: ThumbsDown },
] as const;

function Feedback({ chatUid, message }: Pick<AnswerActionsProps, 'chatUid' | 'message'>) {
  const queries = useQueryClient();
  const given = message.feedback?.value ?? null;
  const change = useMutation({
    mutationFn: (value: 'up' | 'down' | null) =>
      client.chats.putFeedback(chatUid, message.UID, { value }),
    onSuccess: () => queries.invalidateQueries({ queryKey: chatQuery(chatUid).queryKey }),
    onError: (error) => toastError('Your rating was not saved', error),
  });
  return CHOICES.map(({ value, label, icon }) => (
    <IconButton
      key={value}
      icon={icon}
      size="small"
      label={label}
      aria-pressed={given === value}
      disabled={change.isPending}
      className="aria-pressed:bg-accent-soft aria-pressed:text-accent-strong"
      onClick={() => change.mutate(given === value ? null : value)}
    />
  ));
}
