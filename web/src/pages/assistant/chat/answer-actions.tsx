import type { ChatMessage } from '@trellis/contract/shapes/chat.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ListChecks, RefreshCw, ThumbsDown, ThumbsUp } from 'lucide-react';
import { Suspense, useState } from 'react';
import { client } from '../../../api/client.ts';
import { useViewer } from '../../../api/viewer.ts';
import { formatCount } from '../../../ui/format.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastError } from '../../../ui/toast.ts';
import { chatQuery } from './chat-queries.ts';

const GoldenQuestionDialog = lazyPart(
  async () => (await import('./golden-question-dialog.tsx')).GoldenQuestionDialog,
);

export type ChatReply = Extract<ChatMessage, { role: 'assistant' }>;

interface AnswerActionsProps {
  readonly chatUid: string;
  readonly message: ChatReply;
  readonly isLocked: boolean;
  /** What it answers. */
  readonly question: string;
  /** Undefined where others come after it: they would go. */
  readonly onRegenerate: (() => void) | undefined;
}

export function AnswerActions(props: AnswerActionsProps) {
  const { chatUid, message, isLocked, question, onRegenerate } = props;
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
      <GoldenQuestion question={question} />
      <p className="ml-auto flex flex-wrap gap-x-2 text-right">
        {model !== '' && <span>{model}</span>}
        {tokens !== undefined && <span>{formatCount(tokens)} tokens</span>}
        <Time iso={at} />
      </p>
    </div>
  );
}

/** For administrators, who measure answers. */
function GoldenQuestion({ question }: Pick<AnswerActionsProps, 'question'>) {
  const [isOpen, setIsOpen] = useState(false);
  const viewer = useViewer();
  if (viewer?.isAdmin !== true || question === '') return null;
  return (
    <>
      <IconButton
        icon={ListChecks}
        size="small"
        label="Make it a golden question"
        onClick={() => setIsOpen(true)}
      />
      {isOpen && (
        <Suspense>
          <GoldenQuestionDialog question={question} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
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
