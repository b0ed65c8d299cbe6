import { ADMIN_AGENT_MESSAGE_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { AdminAgentMessage, AdminAgentSession } from '@trellis/contract/shapes/admin-agent.ts';
import { useState } from 'react';
import { ErrorPanel } from '../../../ui/error-panel.tsx';
import { Markdown } from '../../../ui/markdown.tsx';
import { NoProvider } from '../chat/no-provider.tsx';
import { Announcement } from '../conversation/announcement.tsx';
import { Composer } from '../conversation/composer.tsx';
import { useFollowEnd } from '../conversation/follow-end.ts';
import { Question, Reply, Thinking } from '../conversation/message.tsx';
import { ToolCalls } from '../conversation/tool-calls.tsx';
import { ProposalCard } from './proposal-card.tsx';
import { SessionUploads } from './session-uploads.tsx';
import { type AgentTurn, useAgentTurn } from './use-agent-turn.ts';

interface AgentSessionProps {
  readonly session: AdminAgentSession;
  readonly isAllowed: boolean;
}

export function AgentSession({ session, isAllowed }: AgentSessionProps) {
  const { id, messages, uploads, proposal } = session;
  const { turn, failure, send, stop } = useAgentTurn(id);
  const [draft, setDraft] = useState('');
  useFollowEnd(turn?.text ?? messages.length);
  const last = messages.at(-1);
  const sendDraft = async () => {
    setDraft('');
    const isAnswered = await send(draft);
    // What was typed meanwhile is not lost either.
    if (!isAnswered) setDraft((typed) => (typed === '' ? draft : `${draft}\n${typed}`));
  };
  return (
    <section aria-label="Session" className="mx-auto flex w-full max-w-4xl min-w-0 flex-col gap-6">
      <Announcement
        isBusy={turn !== undefined}
        answer={last?.role === 'assistant' ? last.text : undefined}
      />
      <Messages messages={messages} turn={turn} />
      <Failure error={failure} />
      <ProposalCard
        sessionId={id}
        proposal={proposal}
        isLocked={!isAllowed || turn !== undefined}
      />
      <SessionUploads sessionId={id} uploads={uploads} isAllowed={isAllowed} />
      <div className="sticky bottom-0 z-[5] -mx-1 bg-canvas px-1 pb-3">
        <Composer
          label="Message to the admin agent"
          text={draft}
          onText={setDraft}
          onSend={() => void sendDraft()}
          isBusy={turn !== undefined}
          onStop={stop}
          reason={isAllowed ? undefined : 'You may not change anything.'}
          charactersMax={ADMIN_AGENT_MESSAGE_CHARACTERS_MAX}
        />
      </div>
    </section>
  );
}

interface MessagesProps {
  readonly messages: readonly AdminAgentMessage[];
  readonly turn: AgentTurn | undefined;
}

function Messages({ messages, turn }: MessagesProps) {
  return (
    <>
      {messages.map((message, at) =>
        message.role === 'user' ? (
          // While it is answered, the session may have it already.
          (turn === undefined || at < messages.length - 1 || message.text !== turn.question) && (
            <Question key={message.at} text={message.text} />
          )
        ) : (
          <Reply key={`${message.at} answer`} from="Admin agent">
            <ToolCalls calls={message.toolCalls} />
            <Markdown text={message.text} />
          </Reply>
        ),
      )}
      {turn !== undefined && (
        <>
          <Question text={turn.question} />
          <Reply from="Admin agent" isBusy>
            <ToolCalls calls={turn.calls} />
            {turn.text === '' ? <Thinking /> : <Markdown text={turn.text} />}
          </Reply>
        </>
      )}
    </>
  );
}

function Failure({ error }: { readonly error: unknown }) {
  if (error instanceof TrellisError && error.code === 'llm_not_configured') return <NoProvider />;
  return error !== undefined && <ErrorPanel title="There is no answer" error={error} />;
}
