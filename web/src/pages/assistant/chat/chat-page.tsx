import { getRouteApi, Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import type { ChatMessage } from '@trellis/contract/shapes/chat.ts';
import type { WebSocketMessage } from '@trellis/contract/web-socket.ts';
import { History } from 'lucide-react';
import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useLiveQueries } from '../../../app/live-queries.ts';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { SidePanel } from '../../../ui/dialog.tsx';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { useDrafts, UnsavedRecords } from '../../data/unsaved-records.tsx';
import { ChatList } from './chat-list.tsx';
import { CHATS_KEY, chatQuery } from './chat-queries.ts';
import { Conversation } from './conversation.tsx';
import type { ChatChoice } from './use-chat-sending.ts';

const CitedRecord = lazyPart(async () => (await import('./cited-record.tsx')).CitedRecord);

/** A report has come, perhaps into a conversation that nothing of this page follows. */
const tellsOfReports = (message: WebSocketMessage): boolean =>
  message.type === 'JOB_CHANGED' &&
  message.job.kind === 'deep-research' &&
  message.job.endedAt !== null;

const route = getRouteApi('/workspace/chat/{-$uid}');

/** Conversations with the assistant: the viewer's own, and the one that is open. */
export function ChatPage() {
  const { uid } = route.useParams();
  const [choice, setChoice] = useState<ChatChoice>({ model: undefined, tools: undefined });
  const { key, onBegun } = useConversationKey(uid);
  const { cited, citations, title, messages, noteOpener, close } = useCited(uid);
  const drafts = useDrafts(key);
  useLiveQueries(CHATS_KEY, tellsOfReports);
  const isBeside = cited !== undefined;
  return (
    <div className="flex items-start gap-6 max-lg:flex-col max-lg:items-stretch">
      <aside
        aria-label="Conversations"
        className={classNames(
          'sticky top-18 hidden max-h-[calc(100dvh-6rem)] w-64 shrink-0 flex-col',
          isBeside ? '2xl:flex' : 'lg:flex',
        )}
      >
        <ChatList openUid={uid} />
      </aside>
      <div
        className={classNames(
          'mx-auto w-full max-w-3xl min-w-0 flex-1',
          isBeside && 'max-lg:hidden',
        )}
        onClickCapture={noteOpener}
      >
        <ListButton uid={uid} isBeside={isBeside} />
        <div className="sticky top-16 z-10 mb-3 empty:hidden">
          <UnsavedRecords
            drafts={drafts}
            opened={cited?.uid}
            linkTo={(name, _, label) => {
              const source = citations.find((one) => one.uid === name)?.id;
              return source === undefined ? (
                label
              ) : (
                <SourceLink source={source}>{label}</SourceLink>
              );
            }}
          />
        </div>
        <Conversation key={key} {...{ uid, choice, setChoice, onBegun }} />
      </div>
      {/* Where the record covers the conversation, its heading does too. */}
      {isBeside && <h1 className="sr-only lg:hidden">{title}</h1>}
      {cited !== undefined && (
        <CitedRecord
          key={cited.id}
          citation={cited}
          messages={messages}
          draft={drafts.of(cited.uid)}
          onDraft={(draft) => drafts.keep(cited.uid, draft)}
          onClose={close}
        />
      )}
    </div>
  );
}

const NO_MESSAGES: readonly ChatMessage[] = [];

/** The source that the address names, of those that the answers cite. */
function useCited(uid: string | undefined) {
  const { source } = route.useSearch();
  const navigate = route.useNavigate();
  // What the conversation has read.
  const { data } = useQuery({ ...chatQuery(uid ?? ''), enabled: false });
  const messages = data?.messages ?? NO_MESSAGES;
  const citations = messages.flatMap((message) =>
    message.role === 'assistant' ? message.citations : [],
  );
  const cited = citations.find(({ id }) => String(id) === source);
  /** The link that opened it, which gets the focus back. */
  const opener = useRef<Element>(null);
  const close = async () => {
    await navigate({
      search: (last) => ({ ...last, source: undefined }),
      resetScroll: false,
      replace: true,
    });
    requestAnimationFrame(() => {
      const first = document.querySelector(`[data-source="${cited?.id}"]`);
      const link = opener.current?.isConnected === true ? opener.current : first;
      if (link instanceof HTMLElement) link.focus();
    });
  };
  const noteOpener = ({ target }: MouseEvent) => {
    opener.current = target instanceof Element ? target.closest('[data-source]') : null;
  };
  const title = data?.title || 'Chat';
  return { cited, citations, title, messages, noteOpener, close: () => void close() };
}

interface SourceLinkProps {
  readonly source: number;
  readonly children: ReactNode;
}

function SourceLink({ source, children }: SourceLinkProps) {
  return (
    <Link
      to="/chat/{-$uid}"
      params={true}
      search={(last) => ({ ...last, source: String(source) })}
      resetScroll={false}
      data-source={source}
      className="underline"
    >
      {children}
    </Link>
  );
}

/**
 * A new conversation is the same when it has a UID: its field keeps the focus, and what is typed.
 */
function useConversationKey(uid: string | undefined) {
  const [begun, setBegun] = useState<string>();
  const [shown, setShown] = useState({ uid, key: 0 });
  if (shown.uid !== uid) {
    const isSame = shown.uid === undefined && uid === begun;
    setShown({ uid, key: isSame ? shown.key : shown.key + 1 });
  }
  return { key: shown.key, onBegun: setBegun };
}

interface ListButtonProps {
  readonly uid: string | undefined;
  /** Something else takes the room. */
  readonly isBeside: boolean;
}

/** Where there is no room beside the conversation. */
function ListButton({ uid, isBeside }: ListButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => setIsOpen(false), [uid]);
  return (
    <div className={classNames('mb-3', isBeside ? '2xl:hidden' : 'lg:hidden')}>
      <Button size="small" icon={History} onClick={() => setIsOpen(true)}>
        Conversations
      </Button>
      <SidePanel isOpen={isOpen} onClose={() => setIsOpen(false)} title="Conversations">
        <ChatList openUid={uid} />
      </SidePanel>
    </div>
  );
}
