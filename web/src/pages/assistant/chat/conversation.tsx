import { TrellisError } from '@trellis/client/trellis-error.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { Chat, ChatMessage, ChatOptions, ChatTurn } from '@trellis/contract/shapes/chat.ts';
import { useEffect, useRef, useState } from 'react';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Markdown } from '../../../ui/markdown.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Announcement } from '../conversation/announcement.tsx';
import { useFollowEnd } from '../conversation/follow-end.ts';
import { Question, Reply, Thinking } from '../conversation/message.tsx';
import { ToolCalls } from '../conversation/tool-calls.tsx';
import { AnswerView } from './answer-view.tsx';
import { ChatComposer } from './chat-composer.tsx';
import { chatOptionsQuery, chatQuery } from './chat-queries.ts';
import { ChatStart } from './chat-start.tsx';
import { ExportChat } from './export-chat.tsx';
import { chatTurns, type LiveTurn, useLiveTurn } from './chat-turns.ts';
import { NoProvider } from './no-provider.tsx';
import { type EditedQuestion, QuestionView } from './question-view.tsx';
import { ResearchProgress } from './research-progress.tsx';
import { type ChatChoice, type SendFailure, useChatSending } from './use-chat-sending.ts';

const route = getRouteApi('/workspace/chat/{-$uid}');

interface ConversationProps {
  /** Undefined before the first message. */
  readonly uid: string | undefined;
  readonly choice: ChatChoice;
  readonly setChoice: (choice: ChatChoice) => void;
  /** Told the UID of a new one. */
  readonly onBegun: (uid: string) => void;
}

export function Conversation({ uid, choice, setChoice, onBegun }: ConversationProps) {
  const { node } = route.useSearch();
  const turn = useLiveTurn(uid);
  const { chat, error, refetch } = useChat(uid, turn);
  const options = useQuery(chatOptionsQuery).data;
  const [draft, setDraft] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const { send, failure } = useChatSending({ uid, choice, onBegun });
  const messages = turn?.before ?? chat?.messages ?? [];
  const isBusy = turn !== undefined || chat?.isBusy === true;
  const isOff = isWithoutProvider(options, failure?.error);
  const sendDraft = async () => {
    setDraft('');
    const isKept = await send({ message: draft });
    // What was typed meanwhile is not lost either.
    if (!isKept) setDraft((typed) => (typed === '' ? draft : `${draft}\n${typed}`));
  };
  const begin = (question: string) => {
    setDraft(question);
    field.current?.focus();
  };
  if (error !== null && turn === undefined) {
    return (
      <>
        <PageHeader title="Chat" />
        <ErrorPanel title="The conversation could not be read" error={error} onRetry={refetch} />
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={chat?.title || 'Chat'}
        actions={isBegun(chat) ? <ExportChat uid={chat.UID} /> : undefined}
      />
      <Announcement isBusy={isBusy} answer={lastAnswerOf(messages)} />
      {uid === undefined && turn === undefined && (
        <ChatStart nodeUid={node} onChoose={begin} isOff={isOff} />
      )}
      <div className="flex flex-col gap-6 pb-6">
        {uid !== undefined && turn === undefined && chat === undefined && <Skeleton rows={6} />}
        <Messages {...{ uid, messages, isBusy, send }} />
        {turn !== undefined && <LiveAnswer turn={turn} />}
        {turn === undefined && chat?.busyWith === 'research' && (
          <ResearchProgress chatUid={chat.UID} />
        )}
        <Failure
          failure={failure}
          isOff={isOff}
          // A message stands in the field again, where it may have been changed meanwhile.
          onRetry={() => (isNewMessage(failure) ? sendDraft() : send(failure?.turn ?? {}))}
        />
      </div>
      <ChatComposer
        {...{ uid, draft, setDraft, choice, setChoice, options, isBusy, field }}
        onSend={() => void sendDraft()}
      />
    </>
  );
}

/**
 * What is kept of the conversation; not read while an answer comes in, which has what was there
 * before.
 */
function useChat(uid: string | undefined, turn: LiveTurn | undefined) {
  const { data, error, refetch } = useQuery({
    ...chatQuery(uid ?? ''),
    enabled: uid !== undefined && turn === undefined,
  });
  const chat: Chat | undefined = uid === undefined ? undefined : data;
  useEffect(() => {
    if (turn === undefined && chat?.busyWith === 'turn') void chatTurns.follow(chat);
  }, [turn, chat]);
  useFollowEnd(turn?.text ?? chat?.messages.length);
  return { chat, error, refetch };
}

interface MessagesProps {
  readonly uid: string | undefined;
  readonly messages: readonly ChatMessage[];
  readonly isBusy: boolean;
  readonly send: (turn: Partial<ChatTurn>) => Promise<boolean>;
}

function Messages({ uid, messages, isBusy, send }: MessagesProps) {
  // Kept here: the message is gone while its successor is sent, and back when that fails.
  const [edited, setEdited] = useState<EditedQuestion>();
  const last = messages.at(-1);
  const edit = async ({ uid: editUID, text }: EditedQuestion) => {
    if (await send({ message: text, editUID })) setEdited(undefined);
  };
  return messages.map((message, at) =>
    message.role === 'user' ? (
      <QuestionView
        key={message.UID}
        message={message}
        isLocked={isBusy}
        edited={edited?.uid === message.UID ? edited : undefined}
        onEdited={setEdited}
        onSend={(question) => void edit(question)}
      />
    ) : (
      <AnswerView
        key={message.UID}
        chatUid={uid}
        message={message}
        question={questionBefore(messages, at)}
        isLocked={isBusy}
        isLast={message === last}
        onRegenerate={() => void send({ regenerateUID: message.UID })}
      />
    ),
  );
}

function questionBefore(messages: readonly ChatMessage[], at: number): string {
  const last = messages[at - 1];
  return last?.role === 'user' ? last.text : '';
}

function LiveAnswer({ turn }: { readonly turn: LiveTurn }) {
  const { question, text, calls, isLost } = turn;
  return (
    <>
      {question !== undefined && <Question text={question} />}
      <Reply from="Assistant" isBusy>
        <ToolCalls calls={calls} />
        {text === '' ? <Thinking /> : <Markdown text={text} isLive />}
        {isLost && (
          <p className="text-[13px] text-muted">
            The connection was lost. The answer goes on, and is shown when the server answers.
          </p>
        )}
      </Reply>
    </>
  );
}

interface FailureProps {
  readonly failure: SendFailure | undefined;
  readonly isOff: boolean;
  readonly onRetry: () => unknown;
}

/** Why a message was not sent. */
function Failure({ failure, isOff, onRetry }: FailureProps) {
  if (isOff) return <NoProvider />;
  return (
    failure !== undefined && (
      <ErrorPanel title="The message was not sent" error={failure.error} onRetry={onRetry} />
    )
  );
}

function isBegun(chat: Chat | undefined): chat is Chat {
  return chat !== undefined && chat.messages.length > 0;
}

function isNewMessage(failure: SendFailure | undefined): boolean {
  const { message, editUID } = failure?.turn ?? {};
  return message !== undefined && editUID === undefined;
}

function lastAnswerOf(messages: readonly ChatMessage[]): string | undefined {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? last.text : undefined;
}

function isWithoutProvider(options: ChatOptions | undefined, failure: unknown): boolean {
  if (failure instanceof TrellisError && failure.code === 'llm_not_configured') return true;
  return options?.isConfigured === false;
}
