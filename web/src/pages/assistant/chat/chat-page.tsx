import { getRouteApi } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import type { ChatMessage } from '@trellis/contract/shapes/chat.ts';
import { History } from 'lucide-react';
import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { classNames } from '../../../ui/class-names.ts';
import { SidePanel } from '../../../ui/dialog.tsx';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { ChatList } from './chat-list.tsx';
import { chatQuery } from './chat-queries.ts';
import { Conversation } from './conversation.tsx';
import type { ChatChoice } from './use-chat-sending.ts';

const CitedRecord = lazyPart(async () => (await import('./cited-record.tsx')).CitedRecord);

const route = getRouteApi('/workspace/chat/{-$uid}');

/** Conversations with the assistant: the viewer's own, and the one that is open. */
export function ChatPage() {
  const { uid } = route.useParams();
  const [choice, setChoice] = useState<ChatChoice>({ model: undefined, tools: undefined });
  const { key, onBegun } = useConversationKey(uid);
  const { cited, title, messages, noteOpener, close } = useCited(uid);
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
        <Conversation key={key} {...{ uid, choice, setChoice, onBegun }} />
      </div>
      {/* Where the record covers the conversation, its heading does too. */}
      {isBeside && <h1 className="sr-only lg:hidden">{title}</h1>}
      {cited !== undefined && (
        <CitedRecord key={cited.id} citation={cited} messages={messages} onClose={close} />
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
  const cited = messages
    .flatMap((message) => (message.role === 'assistant' ? message.citations : []))
    .find(({ id }) => String(id) === source);
  /** The link that opened it, which gets the focus back. */
  const opener = useRef<Element>(null);
  const close = async () => {
    await navigate({
      search: (last) => ({ ...last, source: undefined }),
      resetScroll: false,
      replace: true,
    });
    const link = opener.current ?? document.querySelector(`[data-source="${cited?.id}"]`);
    requestAnimationFrame(() => link instanceof HTMLElement && link.focus());
  };
  const noteOpener = ({ target }: MouseEvent) => {
    opener.current = target instanceof Element ? target.closest('[data-source]') : null;
  };
  return { cited, title: data?.title || 'Chat', messages, noteOpener, close: () => void close() };
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
