import { getRouteApi } from '@tanstack/react-router';
import type { ChatTurn } from '@trellis/contract/shapes/chat.ts';
import { useEffect, useRef, useState } from 'react';
import { chatTurns } from './chat-turns.ts';

const route = getRouteApi('/workspace/chat/{-$uid}');

/** What the next messages are answered with. */
export interface ChatChoice {
  /** Undefined for the one that an administrator named first. */
  readonly model: string | undefined;
  /** Names of those that may be called; undefined for all that the user may use. */
  readonly tools: readonly string[] | undefined;
}

/** Why something was not sent, and what. */
export interface SendFailure {
  readonly error: unknown;
  readonly turn: Partial<ChatTurn>;
}

interface ChatSendingOptions {
  /** Undefined for a new conversation, which is opened when it has begun. */
  readonly uid: string | undefined;
  readonly choice: ChatChoice;
  readonly onBegun: (uid: string) => void;
}

/** Sends the messages of one conversation. */
export function useChatSending({ uid, choice, onBegun }: ChatSendingOptions) {
  const { node: viewingUID } = route.useSearch();
  const navigate = route.useNavigate();
  const [failure, setFailure] = useState<SendFailure>();
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const open = (chatUid: string) => {
    // Who has gone elsewhere meanwhile stays there.
    if (!isShown.current) return undefined;
    onBegun(chatUid);
    return navigate({ params: { uid: chatUid }, search: (last) => last });
  };
  /** Whether the message is in the conversation now, answered or not. */
  const send = async (turn: Partial<ChatTurn>): Promise<boolean> => {
    setFailure(undefined);
    const { model, tools } = choice;
    try {
      await chatTurns.send(
        {
          ...turn,
          ...(uid !== undefined && { chatUID: uid }),
          ...(turn.message !== undefined && viewingUID !== undefined && { viewingUID }),
          ...(model !== undefined && { model }),
          ...(tools !== undefined && { tools: [...tools] }),
        },
        open,
      );
      return true;
    } catch (error) {
      if (!isStopped(error)) setFailure({ error, turn });
      return false;
    }
  };
  return { send, failure };
}

function isStopped(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}
