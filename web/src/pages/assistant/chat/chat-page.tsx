import { getRouteApi } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { SidePanel } from '../../../ui/dialog.tsx';
import { ChatList } from './chat-list.tsx';
import { Conversation } from './conversation.tsx';
import type { ChatChoice } from './use-chat-sending.ts';

const route = getRouteApi('/workspace/chat/{-$uid}');

/** Conversations with the assistant: the viewer's own, and the one that is open. */
export function ChatPage() {
  const { uid } = route.useParams();
  const [choice, setChoice] = useState<ChatChoice>({ model: undefined, tools: undefined });
  const { key, onBegun } = useConversationKey(uid);
  return (
    <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[16rem_minmax(0,1fr)]">
      <aside
        aria-label="Conversations"
        className="sticky top-18 hidden max-h-[calc(100dvh-6rem)] flex-col lg:flex"
      >
        <ChatList openUid={uid} />
      </aside>
      <div className="mx-auto w-full max-w-3xl min-w-0">
        <ListButton uid={uid} />
        <Conversation key={key} {...{ uid, choice, setChoice, onBegun }} />
      </div>
    </div>
  );
}

/**
 * A new conversation is the same when it has a UID: its field keeps the focus, and what is typed.
 */
function useConversationKey(uid: string | undefined) {
  const [begun, setBegun] = useState<string>();
  const [count, setCount] = useState(0);
  if (uid === undefined && begun !== undefined) {
    setBegun(undefined);
    setCount(count + 1);
  }
  const key = uid === undefined || uid === begun ? `new ${count}` : uid;
  return { key, onBegun: setBegun };
}

/** Where there is no room beside the conversation. */
function ListButton({ uid }: { readonly uid: string | undefined }) {
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => setIsOpen(false), [uid]);
  return (
    <div className="mb-3 lg:hidden">
      <Button size="small" icon={History} onClick={() => setIsOpen(true)}>
        Conversations
      </Button>
      <SidePanel isOpen={isOpen} onClose={() => setIsOpen(false)} title="Conversations">
        <ChatList openUid={uid} />
      </SidePanel>
    </div>
  );
}
