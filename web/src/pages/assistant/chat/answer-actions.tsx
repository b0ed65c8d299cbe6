import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RefreshCw, ThumbsDown, ThumbsUp } from 'lucide-react';
import { Suspense, useState } from 'react';
import { client } from '../../../api/client.ts';
import { formatCount } from '../../../ui/format.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastDone, toastError } from '../../../ui/toast.ts';
import type { ChatReply } from '../conversation/end-note.tsx';
import { GoldenQuestion } from './golden-question.tsx';
import { chatQuery } from './chat-queries.ts';

const RatingDialog = lazyPart(async () => (await import('./rating-dialog.tsx')).RatingDialog);

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

const CHOICES = [
  { value: 'up', label: 'Good answer', icon: ThumbsUp },
  { value: 'down', label: 'Bad answer', icon: ThumbsDown },
] as const;

/** A rating is sent from a dialog, which says who sees it; a second press takes it back. */
function Feedback({ chatUid, message }: Pick<AnswerActionsProps, 'chatUid' | 'message'>) {
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<'up' | 'down'>();
  const given = message.feedback?.value ?? null;
  const takeBack = useMutation({
    mutationFn: () => client.chats.putFeedback(chatUid, message.UID, { value: null }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: chatQuery(chatUid).queryKey });
      toastDone('Your rating is taken back', 'Administrators no longer see it.');
    },
    onError: (error) => toastError('Your rating was not taken back', error),
  });
  return (
    <>
      {CHOICES.map(({ value, label, icon }) => (
        <IconButton
          key={value}
          icon={icon}
          size="small"
          label={label}
          aria-pressed={given === value}
          disabled={takeBack.isPending}
          className="aria-pressed:bg-accent-soft aria-pressed:text-accent-strong"
          onClick={() => (given === value ? takeBack.mutate() : setChosen(value))}
        />
      ))}
      {chosen !== undefined && (
        <Suspense>
          <RatingDialog
            {...{ chatUid, message }}
            value={chosen}
            onClose={() => setChosen(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
