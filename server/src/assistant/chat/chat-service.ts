import type { Chat, ChatMessage, ChatSummary, ChatTurn } from '@trellis/contract/shapes/chat.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { CommitPort } from '#graph/operations.ts';
import { ReaderFacts } from '../citations/reader-facts.ts';
import {
  chatTitled,
  ChatStore,
  newChat,
  rating,
  removed,
  type StoredChat,
  type StoredMessage,
} from './chat-store.ts';
import { shownSupport } from '../support/kept-support.ts';
import type { Rating, TurnAnswer, TurnCall } from './chat-turn.ts';
import { ChatTurns, noChat, type Occupant } from './chat-turns.ts';
import type { TurnParts } from './running-turn.ts';
import { BEGINNING, type ToldEvent, type TurnPosition } from './turn-news.ts';

export interface ChatParts extends Omit<TurnParts, 'store'> {
  readonly commits: CommitPort;
}

export interface ChatQuery {
  readonly skip: number;
  readonly take: number;
  /** Words that the title must have. */
  readonly query?: string | undefined;
}

/**
 * Conversations with the assistant. Each belongs to one user; for everybody else it does not exist
 * (open-shapes, section 7).
 */
export class ChatService implements AsyncDisposable {
  readonly #parts: ChatParts;
  readonly #store: ChatStore;
  readonly #turns: ChatTurns;

  constructor(parts: ChatParts) {
    this.#parts = parts;
    this.#store = new ChatStore(parts.reader, parts.commits);
    this.#turns = new ChatTurns({ ...parts, store: this.#store });
  }

  /** See `ChatTurns.say`. */
  say(turn: ChatTurn, call: TurnCall): Promise<TurnAnswer> {
    return this.#turns.say(turn, call);
  }

  /** What a turn of the caller may ask for. */
  options(caller: Caller) {
    const { tools, allowedModels } = this.#parts;
    const models = modelsOf(allowedModels);
    const offered = tools.offered(caller, { isReadOnlyOnly: true });
    return {
      isConfigured: models.length > 0,
      model: models[0] ?? null,
      models,
      tools: offered.map(({ name, description }) => ({ name, description })),
    };
  }

  /**
   * Creates a conversation; without a title, it gets the title of its first message. Throws
   * `chat_limit_reached`.
   */
  async create(caller: Caller, title = ''): Promise<ChatSummary> {
    const user = userOf(caller);
    using _place = this.#turns.place(user);
    const uid = formatUid(randomUid());
    await this.#store.commit(newChat(user, { uid, title, atMs: this.#parts.clock.now() }));
    return this.#summary(this.#require(caller, uid));
  }

  /** The conversations of the caller; the last used comes first. */
  list(caller: Caller, { skip, take, query = '' }: ChatQuery) {
    const words = query.toLowerCase().split(/\s+/);
    const found = this.#store
      .chats(userOf(caller))
      .filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
      .toSorted((a, b) => compare(b.updatedAt, a.updatedAt) || compare(a.UID, b.UID));
    const items = found.slice(skip, skip + take).map((chat) => this.#summary(chat));
    return { items, total: found.length, skip, take };
  }

  /**
   * The conversation, with citations and outputs as the caller may see them now. This and the
   * following methods throw `chat_not_found`.
   */
  get(caller: Caller, uid: string): Chat {
    const chat = this.#require(caller, uid);
    const stored = this.#store.messages(uid);
    const answering = this.#turns.occupantOf(uid)?.messageUID;
    // Created after the read, so that nothing in it is newer than what the reader may see.
    const facts = new ReaderFacts(this.#parts, caller);
    const messages = stored.map((message) =>
      shownMessage(message, facts, message.UID === answering),
    );
    return { ...this.#summary(chat), messages };
  }

  async rename(caller: Caller, uid: string, title: string): Promise<ChatSummary> {
    this.#require(caller, uid);
    await this.#store.commit([chatTitled(uid, title)]);
    return this.#summary(this.#require(caller, uid));
  }

  /** Deletes the conversation with its messages; a running answer is stopped first. */
  async delete(caller: Caller, uid: string): Promise<void> {
    this.#require(caller, uid);
    await this.#turns.close(uid, () => {
      const messages = this.#store.messages(uid).map(({ UID }) => UID);
      return this.#store.commit(removed([...messages, uid]));
    });
  }

  /**
   * The running answer as it comes, from its beginning or after what the caller has of it; nothing
   * when none is running. It ends when the answer is stored.
   */
  watch(
    caller: Caller,
    uid: string,
    { after, signal }: { readonly after: WatchedTurn | undefined; readonly signal: AbortSignal },
  ): AsyncIterable<TurnBatch> {
    this.#require(caller, uid);
    const { messageUID = '', news } = this.#turns.occupantOf(uid) ?? {};
    if (news === undefined) return (async function* () {})();
    const known = after?.messageUID === messageUID ? after.position : undefined;
    const outputOf = (output: unknown) => new ReaderFacts(this.#parts, caller).output(output);
    return batches({ messageUID, known, told: news.after(known ?? BEGINNING, signal), outputOf });
  }

  /** Stops a running answer. Resolves when none is running any more. */
  async stop(caller: Caller, uid: string): Promise<void> {
    this.#require(caller, uid);
    await this.#turns.stop(uid);
  }

  /**
   * Rates an answer, which shows the conversation up to it to administrators; the value null takes
   * both back. Throws `chat_message_not_found`.
   */
  async rate(
    caller: Caller,
    uid: string,
    messageUid: string,
    { value, comment }: Rating,
  ): Promise<void> {
    this.#require(caller, uid);
    const message = this.#store.messages(uid).find(({ UID }) => UID === messageUid);
    if (message?.role !== 'assistant') {
      throw new Problem(
        'chat_message_not_found',
        `There is no answer "${messageUid}" in this conversation.`,
      );
    }
    const feedback = value === null ? null : { value, comment };
    await this.#store.commit(rating(messageUid, feedback));
  }

  /** See `ChatTurns.occupy`. */
  occupy(caller: Caller, uid: string, occupant: Occupant): Disposable {
    return this.#turns.occupy(caller, uid, occupant);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns[Symbol.asyncDispose]();
  }

  #require(caller: Caller, uid: string): StoredChat {
    const chat = this.#store.find(userOf(caller), uid);
    if (chat === undefined) throw noChat(uid);
    return chat;
  }

  #summary(chat: StoredChat): ChatSummary {
    const busyWith = this.#turns.occupantOf(chat.UID)?.work ?? null;
    return { ...chat, isBusy: busyWith !== null, busyWith };
  }
}

/** What somebody was told of a turn before. */
export interface WatchedTurn {
  readonly messageUID: string;
  readonly position: TurnPosition;
}

/** The next events of a turn. `isNew`: they begin a turn that was not watched before. */
export interface TurnBatch {
  readonly messageUID: string;
  readonly isNew: boolean;
  readonly events: readonly ToldEvent[];
}

interface WatchedNews {
  readonly messageUID: string;
  readonly known: TurnPosition | undefined;
  readonly told: AsyncIterable<readonly ToldEvent[]>;
  /** The output of a tool as the reader may see it now. */
  readonly outputOf: (output: unknown) => unknown;
}

async function* batches(watched: WatchedNews): AsyncGenerator<TurnBatch, void, undefined> {
  const { messageUID, known, told, outputOf } = watched;
  if (known === undefined) yield { messageUID, isNew: true, events: [] };
  for await (const events of told) {
    yield { messageUID, isNew: false, events: events.map((one) => readable(one, outputOf)) };
  }
}

function readable(one: ToldEvent, outputOf: WatchedNews['outputOf']): ToldEvent {
  const { told, position } = one;
  if (told.event !== 'tool' || told.data.state !== 'ended') return one;
  const { output, ...data } = told.data;
  const left = output === undefined ? undefined : outputOf(output);
  return {
    told: { event: 'tool', data: left === undefined ? data : { ...data, output: left } },
    position,
  };
}

/**
 * The message as the reader may see it now. An answer without an end was interrupted, unless it is
 * running.
 */
export function shownMessage(
  message: StoredMessage,
  facts: ReaderFacts,
  isUnderWay: boolean,
): ChatMessage {
  if (message.role === 'user') {
    const { viewingUID } = message;
    const isSeen = viewingUID !== null && facts.canSee(viewingUID);
    return { ...message, viewingUID: isSeen ? viewingUID : null };
  }
  const { support, ...reply } = message;
  return {
    ...reply,
    ...shownSupport(support, message.text, facts),
    ended: message.ended ?? (isUnderWay ? null : 'interrupted'),
    citations: facts.snippets(message.citations),
    toolCalls: message.toolCalls.map(({ output, ...call }) => {
      const left = facts.output(output);
      return left === undefined ? call : { ...call, output: left };
    }),
  };
}

/** Empty when no provider is configured. */
function modelsOf(allowed: ChatParts['allowedModels']): readonly string[] {
  try {
    return allowed();
  } catch (error) {
    if (error instanceof Problem && error.code === 'llm_not_configured') return [];
    throw error;
  }
}

function userOf({ userUid }: Caller): string {
  return must(userUid, 'the user of a session');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
