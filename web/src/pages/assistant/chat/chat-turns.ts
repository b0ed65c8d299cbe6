import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { WatchedChatEvent } from '@trellis/client/methods/chat.ts';
import type { Chat, ChatMessage, ChatTurn } from '@trellis/contract/shapes/chat.ts';
import { useSyncExternalStore } from 'react';
import { client } from '../../../api/client.ts';
import { queryClient } from '../../../api/query-client.ts';
import { session } from '../../../app/session.ts';
import { callsAfter, type LiveCall } from '../conversation/live-calls.ts';
import { CHAT_LISTS_KEY, CHATS_KEY, chatQuery } from './chat-queries.ts';

/** An answer that is under way. */
export interface LiveTurn {
  /** What was said before; of a message that is edited or asked again, what stands before that. */
  readonly before: readonly ChatMessage[];
  /** What the user asks; undefined when a question of before is asked again. */
  readonly question: string | undefined;
  readonly text: string;
  readonly calls: readonly LiveCall[];
  /** The connection was lost; the turn itself goes on, and is followed again. */
  readonly isLost: boolean;
}

const LOST_PAUSE_MS = 2_000;

/** The key of a conversation that has no UID yet. */
const NEW = '';

/**
 * The answers under way. The server makes them in the background: they go on while the user looks
 * at another page, and after a reload, when they are followed again.
 */
class ChatTurns {
  readonly #turns = new Map<string, LiveTurn>();
  readonly #leaving = new Map<string, AbortController>();
  readonly #listeners = new Set<() => void>();
  /** A new conversation is to be stopped as soon as it has a UID. */
  #stopsNew = false;

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
      void queryClient.invalidateQueries({ queryKey: CHAT_LISTS_KEY });
      const before = key;
      key = uid;
      if (before === NEW && this.#stopsNew) void client.chats.stop(uid).catch(() => undefined);
      this.#leaving.set(key, leaving);
      this.#set(key, this.#turns.get(before) ?? beginningOf(turn));
      await onBegun(uid);
      this.#forget(before);
      this.#stopsNew = false;
    };
    try {
      const events = client.chats.stream({ ...turn, background: true }, { signal: leaving.signal });
      for await (const event of events) {
        if (event.kind === 'begun') await keep(event.chatUID);
        else if (event.kind !== 'result') this.#tell(key, event);
      }
    } catch (error) {
      const chatUid = keptChatOf(error);
      if (chatUid !== undefined) await keep(chatUid);
      // Why there is no answer stands in the conversation.
      if (!isKept) throw error;
      if (isLost(error)) await this.#watch(key, leaving.signal);
    } finally {
      if (key === NEW) this.#stopsNew = false;
      await this.#end(key, isKept);
    }
  }

  /** Shows the answer under way that was asked for before a reload, or in another tab. */
  async follow({ UID: uid, messages }: Chat): Promise<void> {
    if (this.#turns.has(uid)) return;
    const leaving = new AbortController();
    this.#leaving.set(uid, leaving);
    const before = messages.filter((one) => one.role === 'user' || one.ended !== null);
    this.#set(uid, { before, question: undefined, text: '', calls: [], isLost: false });
    await this.#watch(uid, leaving.signal);
    await this.#end(uid, true);
  }

  /** What was said so far stays. */
  async stop(uid: string | undefined): Promise<void> {
    if (uid === undefined) this.#stopsNew = true;
    else await client.chats.stop(uid);
  }

  /** Resolves when no answer is under way any more, or nothing can be read of it. */
  async #watch(key: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        for await (const event of client.chats.watch(key, { signal })) this.#tell(key, event);
        return;
      } catch (error) {
        if (signal.aborted || !isLost(error)) return;
        this.#change(key, () => ({ isLost: true }));
        await new Promise((resolve) => setTimeout(resolve, LOST_PAUSE_MS));
      }
    }
  }

  #tell(key: string, event: WatchedChatEvent): void {
    const found = { isLost: false };
    if (event.kind === 'begun') this.#change(key, () => ({ text: '', calls: [], ...found }));
    if (event.kind === 'delta') {
      this.#change(key, ({ text }) => ({ text: text + event.text, ...found }));
    }
    if (event.kind === 'tool') {
      this.#change(key, ({ calls }) => ({ calls: callsAfter(calls, event.tool), ...found }));
    }
  }

  #set(key: string, turn: LiveTurn): void {
    this.#turns.set(key, turn);
    this.#changed();
  }

  #change(key: string, change: (turn: LiveTurn) => Partial<LiveTurn>): void {
    const turn = this.#turns.get(key);
    if (turn !== undefined) this.#set(key, { ...turn, ...change(turn) });
  }

  async #end(key: string, isKept: boolean): Promise<void> {
    // What is under way is replaced by what is kept at once, without a moment between the two.
    if (isKept) await queryClient.prefetchQuery({ ...chatQuery(key), staleTime: 0 });
    this.#forget(key);
    void queryClient.invalidateQueries({ queryKey: CHATS_KEY });
  }

  #forget(key: string): void {
    this.#turns.delete(key);
    this.#leaving.delete(key);
    this.#changed();
  }

  #changed(): void {
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
    isLost: false,
  };
}

/** Whether no answer came, or none of this server: the turn may go on nevertheless. */
function isLost(error: unknown): boolean {
  if (!(error instanceof TrellisError)) return false;
  return error.status === 0 || error.status === 429 || error.status >= 502;
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
