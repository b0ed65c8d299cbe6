import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { ChatMessage, ChatTurn } from '@trellis/contract/shapes/chat.ts';
import { useSyncExternalStore } from 'react';
import { client } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { session } from '../../../app/session.ts';
import { callsAfter, type LiveCall } from '../conversation/live-calls.ts';
import { CHATS_KEY, chatQuery } from './chat-queries.ts';

/** An answer that is under way. */
export interface LiveTurn {
  /** What was said before; of a message that is edited or asked again, what stands before that. */
  readonly before: readonly ChatMessage[];
  /** What the user asks; undefined when a question of before is asked again. */
  readonly question: string | undefined;
  readonly text: string;
  readonly calls: readonly LiveCall[];
}

/** The key of a conversation that has no UID yet. */
const NEW = '';

/**
 * The answers under way. They go on while the user looks at another page, such as that of a node
 * which is cited.
 */
class ChatTurns {
  readonly #turns = new Map<string, LiveTurn>();
  readonly #leaving = new Map<string, AbortController>();
  readonly #listeners = new Set<() => void>();

  constructor() {
    session.subscribe(() => {
      if (session.current !== undefined) return;
      for (const leaving of this.#leaving.values()) leaving.abort();
    });
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The turn of a conversation; with undefined, of the one that begins. */
  of(uid: string | undefined): LiveTurn | undefined {
    return this.#turns.get(uid ?? NEW);
  }

  /**
   * Resolves when the conversation has the answer, or why there is none, and was read again.
   * Rejects when nothing of the turn was kept. `onBegun` tells the UID of a new conversation, and
   * is waited for, so that it is shown without a moment between.
   */
  async send(turn: ChatTurn, onBegun: (uid: string) => unknown): Promise<void> {
    let key = turn.chatUID ?? NEW;
    let isKept = false;
    const leaving = new AbortController();
    this.#leaving.set(key, leaving);
    this.#set(key, beginningOf(turn));
    const keep = async (uid: string) => {
      isKept = true;
      if (uid === key) return;
      const before = key;
      key = uid;
      this.#leaving.set(key, leaving);
      this.#set(key, this.#turns.get(before) ?? beginningOf(turn));
      await onBegun(uid);
      this.#end(before);
    };
    try {
      for await (const event of client.chats.stream(turn, { signal: leaving.signal })) {
        if (event.kind === 'begun') await keep(event.chatUID);
        if (event.kind === 'delta') this.#change(key, ({ text }) => ({ text: text + event.text }));
        if (event.kind === 'tool') {
          this.#change(key, ({ calls }) => ({ calls: callsAfter(calls, event.tool) }));
        }
      }
    } catch (error) {
      const chatUid = keptChatOf(error);
      if (chatUid !== undefined) await keep(chatUid);
      // Why there is no answer stands in the conversation.
      if (!isKept) throw error;
    } finally {
      // What is under way is replaced by what is kept at once, without a moment between the two.
      if (isKept) await queryClient.prefetchQuery({ ...chatQuery(key), staleTime: 0 });
      this.#end(key);
      void queryClient.invalidateQueries({ queryKey: CHATS_KEY });
    }
  }

  /** What was said so far stays. */
  async stop(uid: string | undefined): Promise<void> {
    if (uid === undefined) this.#leaving.get(NEW)?.abort();
    else await client.chats.stop(uid);
  }

  #set(key: string, turn: LiveTurn): void {
    this.#turns.set(key, turn);
    this.#tell();
  }

  #change(key: string, change: (turn: LiveTurn) => Partial<LiveTurn>): void {
    const turn = this.#turns.get(key);
    if (turn !== undefined) this.#set(key, { ...turn, ...change(turn) });
  }

  #end(key: string): void {
    this.#turns.delete(key);
    this.#leaving.delete(key);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function beginningOf(turn: ChatTurn): LiveTurn {
  const { chatUID, message, editUID, regenerateUID } = turn;
  const known =
    chatUID === undefined
      ? []
      : (queryClient.getQueryData(chatQuery(chatUID).queryKey)?.messages ?? []);
  const replaced = known.findIndex(({ UID }) => UID === (editUID ?? regenerateUID));
  return {
    before: replaced < 0 ? known : known.slice(0, replaced),
    question: message,
    text: '',
    calls: [],
  };
}

/** The conversation that a turn was kept in although it failed. */
function keptChatOf(error: unknown): string | undefined {
  if (!(error instanceof TrellisError)) return undefined;
  const uid: unknown = error.details?.['chatUID'];
  return typeof uid === 'string' ? uid : undefined;
}

export const chatTurns = new ChatTurns();

export function useLiveTurn(uid: string | undefined): LiveTurn | undefined {
  return useSyncExternalStore(chatTurns.subscribe, () => chatTurns.of(uid));
}
