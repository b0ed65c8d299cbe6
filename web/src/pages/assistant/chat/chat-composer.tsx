import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import {
  CHAT_MESSAGE_CHARACTERS_MAX,
  CHAT_TITLE_CHARACTERS_MAX,
} from '@trellis/contract/limits.ts';
import type { ChatOptions } from '@trellis/contract/shapes/chat.ts';
import { Eye, Telescope } from 'lucide-react';
import type { Ref } from 'react';
import { client } from '../../../api/client.ts';
import { useNames } from '../../../api/names.ts';
import { useConnectionState } from '../../../app/live-connection.ts';
import { Button } from '../../../ui/button.tsx';
import { Chip } from '../../../ui/chip.tsx';
import { toastError } from '../../../ui/toast.ts';
import { Composer } from '../conversation/composer.tsx';
import { BudgetLeft } from './budget-left.tsx';
import { CHATS_KEY } from './chat-queries.ts';
import { ModelField, ToolsMenu } from './chat-choices.tsx';
import { chatTurns } from './chat-turns.ts';
import type { ChatChoice } from './use-chat-sending.ts';

const route = getRouteApi('/workspace/chat/{-$uid}');

interface ChatComposerProps {
  readonly uid: string | undefined;
  readonly draft: string;
  readonly setDraft: (draft: string) => void;
  readonly choice: ChatChoice;
  readonly setChoice: (choice: ChatChoice) => void;
  readonly options: ChatOptions | undefined;
  readonly isBusy: boolean;
  readonly onSend: () => void;
  readonly field: Ref<HTMLTextAreaElement>;
}

/**
 * Where the user writes, with what the message goes with. Stays in view while the conversation is
 * read.
 */
export function ChatComposer(props: ChatComposerProps) {
  const { uid, draft, setDraft, choice, setChoice, options, isBusy, onSend } = props;
  const isAway = useConnectionState() === 'away';
  const stop = useMutation({
    mutationFn: () => chatTurns.stop(uid),
    onError: (error) => toastError('The answer was not stopped', error),
  });
  return (
    <div className="sticky bottom-0 z-[5] -mx-1 bg-canvas px-1 pb-3">
      <ViewedNode />
      <Composer
        label="Message to the assistant"
        text={draft}
        onText={setDraft}
        onSend={onSend}
        isBusy={isBusy}
        onStop={() => stop.mutate()}
        reason={reasonOf(options, isAway)}
        charactersMax={CHAT_MESSAGE_CHARACTERS_MAX}
        field={props.field}
      >
        {options !== undefined && (
          <>
            <ModelField options={options} choice={choice} onChange={setChoice} />
            <ToolsMenu options={options} choice={choice} onChange={setChoice} />
          </>
        )}
        <ResearchButton uid={uid} draft={draft} setDraft={setDraft} isBusy={isBusy} />
      </Composer>
      <BudgetLeft isBusy={isBusy} />
    </div>
  );
}

function reasonOf(options: ChatOptions | undefined, isAway: boolean): string | undefined {
  if (isAway) return 'The primary does not answer: you cannot ask now.';
  return options?.isConfigured === false ? 'No model answers here yet.' : undefined;
}

/** What the messages are about; the assistant is told of it. */
function ViewedNode() {
  const { node } = route.useSearch();
  const navigate = route.useNavigate();
  const nameOf = useNames(node === undefined ? [] : [node]);
  if (node === undefined) return null;
  return (
    <p className="mb-1.5 flex items-center gap-1.5 text-[13px] text-muted">
      About
      <Chip
        text={nameOf(node)}
        icon={<Eye className="size-3.5 shrink-0" aria-hidden />}
        onRemove={() =>
          void navigate({ search: (last) => ({ ...last, node: undefined }), replace: true })
        }
      />
    </p>
  );
}

type ResearchButtonProps = Pick<ChatComposerProps, 'uid' | 'draft' | 'setDraft' | 'isBusy'>;

/** The question is studied at length, as a job, and the report comes into the conversation. */
function ResearchButton({ uid, draft, setDraft, isBusy }: ResearchButtonProps) {
  const queries = useQueryClient();
  const navigate = route.useNavigate();
  const start = useMutation({
    mutationFn: async (question: string) => {
      const title = question.trim().slice(0, CHAT_TITLE_CHARACTERS_MAX);
      const chatUID = uid ?? (await client.chats.create({ title })).UID;
      await client.deepResearch.start({ chatUID, question });
      return chatUID;
    },
    onSuccess: async (chatUID) => {
      setDraft('');
      await queries.invalidateQueries({ queryKey: CHATS_KEY });
      if (uid === undefined) void navigate({ params: { uid: chatUID }, search: (last) => last });
    },
    onError: (error) => toastError('The research did not begin', error),
  });
  return (
    <Button
      size="small"
      icon={Telescope}
      isBusy={start.isPending}
      disabled={isBusy || draft.trim() === ''}
      title="Studies the question at length. It takes minutes, and you may leave the page."
      onClick={() => start.mutate(draft)}
    >
      Deep research
    </Button>
  );
}
