import type { ChatTurn } from '@trellis/contract/shapes/chat.ts';
import type { Caller } from '#access/caller.ts';
import { must } from '#base/assert.ts';
import {
  CHAT_MADE_TITLE_CHARACTERS_MAX,
  CHAT_TURNS_PER_USER_MAX,
  CHATS_PER_USER_MAX,
} from '#base/assistant-limits.ts';
import { Places } from '#base/places.ts';
import { Problem } from '#base/problem.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { WriterOperation } from '#graph/operations.ts';
import {
  chatTitled,
  chatUsed,
  newChat,
  newMessage,
  questionFields,
  removed,
  replyFields,
  type StoredChat,
} from './chat-store.ts';
import type { TurnAnswer, TurnCall } from './chat-turn.ts';
import { RunningTurn, type TurnParts } from './running-turn.ts';
import type { TurnNews } from './turn-news.ts';
import { planTurn, type TurnPlan } from './turn-plan.ts';

/** The work that a conversation is busy with. */
export interface Occupant {
  readonly work: 'turn' | 'research';
  /** UID of the answer that is under way. */
  readonly messageUID: string;
  /** The user; the number of turns that a user may have at a time is limited. */
  readonly user?: string;
  /** Resolves when the work has ended. With a problem it is not the user who stops it. */
  stop(problem?: Problem): Promise<void>;
  /** What a turn has said so far. */
  readonly news?: TurnNews;
}

/** The running turns of this server, one for each conversation. Disposing ends them all. */
export class ChatTurns implements AsyncDisposable {
  readonly #parts: TurnParts;
  /** By the UIDs of their conversations. */
  readonly #running = new Map<string, Occupant>();
  readonly #closing = new Set<string>();
  /** Conversations that are being stored, by user. */
  readonly #beginning = new Places();

  constructor(parts: TurnParts) {
    this.#parts = parts;
  }

  /**
   * Reserves a place for a conversation; dispose of it when the conversation is stored. Throws
   * `chat_limit_reached` when the user has too many conversations.
   */
  place(user: string): Disposable {
    const count = this.#parts.store.countOfChats(user) + this.#beginning.of(user);
    if (count < CHATS_PER_USER_MAX) return this.#beginning.take(user);
    throw new Problem(
      'chat_limit_reached',
      `A user has at most ${CHATS_PER_USER_MAX} conversations.`,
      {
        hint: 'Delete some that you no longer need.',
      },
    );
  }

  /** What a conversation is busy with. */
  occupantOf(chatUid: string): Omit<Occupant, 'stop'> | undefined {
    return this.#running.get(chatUid);
  }

  /** Stops the answer of a conversation. Resolves when none is running any more. */
  async stop(chatUid: string): Promise<void> {
    await this.#running.get(chatUid)?.stop();
  }

  /**
   * Marks a conversation as busy, until disposed, with an answer that does not come from a turn.
   * Throws `chat_not_found`, `chat_busy`.
   */
  occupy(caller: Caller, chatUid: string, occupant: Occupant): Disposable {
    this.#free(must(caller.userUid, 'the user of a session'), chatUid);
    this.#running.set(chatUid, occupant);
    return { [Symbol.dispose]: () => void this.#running.delete(chatUid) };
  }

  /**
   * Does the work that ends the conversation, after the running turn has ended. No new turn starts
   * meanwhile.
   */
  async close(chatUid: string, work: () => Promise<void>): Promise<void> {
    this.#closing.add(chatUid);
    try {
      await this.stop(chatUid);
      await work();
    } finally {
      this.#closing.delete(chatUid);
    }
  }

  /**
   * Before `onBegin`, rejects with `llm_not_configured`, `model_not_found`, `chat_not_found`,
   * `chat_message_not_found`, `chat_busy`, `chat_limit_reached`, `too_many_requests`,
   * `node_not_found` and the problems of the writer. After it, rejects like `ModelRunner`; the
   * details of the error then name the conversation and the answer, which is kept as a failed one.
   */
  async say(turn: ChatTurn, call: TurnCall): Promise<TurnAnswer> {
    const { running, place } = this.#begin(turn, call);
    const { chatUID, messageUID } = running;
    try {
      await this.#parts.store.commit(running.beginning).finally(() => place?.[Symbol.dispose]());
      call.onBegin({ chatUID, messageUID });
      return await running.answer();
    } finally {
      this.#running.delete(chatUID);
      running.over();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const problem = new Problem('server_stopping', 'The server is stopping.');
    await Promise.all([...this.#running.values()].map((turn) => turn.stop(problem)));
  }

  /** Runs in one turn of the event loop, so no other turn of the chat can start meanwhile. */
  #begin(asked: ChatTurn, call: TurnCall) {
    const { store, clock, nodes } = this.#parts;
    const [viewed] = nodes.uidsOf(asked.viewingUID === undefined ? [] : [asked.viewingUID]);
    const turn = { ...asked, ...(viewed === undefined ? {} : { viewingUID: viewed }) };
    const { caller } = call;
    const user = must(caller.userUid, 'the user of a session');
    const model = this.#modelOf(turn);
    if (turn.tools !== undefined) this.#parts.tools.check(caller, turn.tools);
    const known = turn.chatUID === undefined ? undefined : this.#free(user, turn.chatUID);
    this.#checkTurnsOf(user);
    const plan = planTurn(known === undefined ? [] : store.messages(known.UID), turn);
    if (viewed !== undefined) nodes.get(caller, viewed);
    const place = known === undefined ? this.place(user) : undefined;
    const chatUID = known?.UID ?? formatUid(randomUid());
    const messageUID = formatUid(randomUid());
    const ids = { user, chatUID, messageUID, model };
    const beginning = operationsOf(plan, { ...ids, title: known?.title }, clock.now());
    const names = turn.tools;
    const running = new RunningTurn(this.#parts, call, { ...ids, plan, beginning, names });
    this.#running.set(chatUID, running);
    return { running, place };
  }

  #modelOf({ model }: ChatTurn): string {
    const allowed = this.#parts.allowedModels();
    if (model === undefined) return must(allowed[0], 'a model of the provider');
    if (allowed.includes(model)) return model;
    throw new Problem('model_not_found', `There is no model "${model}" here.`, {
      hint: `Ask one of the allowed models: ${allowed.join(', ')}.`,
    });
  }

  #free(user: string, chatUid: string): StoredChat {
    const chat = this.#parts.store.find(user, chatUid);
    if (chat === undefined || this.#closing.has(chatUid)) throw noChat(chatUid);
    if (!this.#running.has(chatUid)) return chat;
    throw new Problem('chat_busy', 'An answer is under way in this conversation.');
  }

  #checkTurnsOf(user: string): void {
    const own = [...this.#running.values()].filter((turn) => turn.user === user);
    if (own.length < CHAT_TURNS_PER_USER_MAX) return;
    throw new Problem('too_many_requests', `${own.length} answers are under way already.`);
  }
}

export function noChat(uid: string): Problem {
  return new Problem('chat_not_found', `There is no conversation "${uid}".`);
}

interface TurnIds {
  readonly user: string;
  readonly chatUID: string;
  readonly messageUID: string;
  readonly model: string;
  /** Title of the conversation; undefined when the turn creates it. */
  readonly title: string | undefined;
}

/**
 * Stores the message, and an answer without an end. An answer without an end that is not running
 * was interrupted.
 */
function operationsOf(plan: TurnPlan, ids: TurnIds, atMs: number): WriterOperation[] {
  const { user, chatUID, messageUID, model } = ids;
  const { question, replaced } = plan;
  const title = titleOf(question.text);
  const asked = { uid: formatUid(randomUid()), atMs, fields: questionFields(question) };
  const answer = { uid: messageUID, atMs, fields: replyFields(model) };
  return [
    ...(ids.title === undefined ? newChat(user, { uid: chatUID, title, atMs }) : []),
    ...(ids.title === '' ? [chatTitled(chatUID, title)] : []),
    chatUsed(chatUID, atMs),
    ...removed(replaced.map(({ UID }) => UID)),
    ...(question.isNew ? newMessage(user, chatUID, asked) : []),
    ...newMessage(user, chatUID, answer),
  ];
}

/** The first words of the first message, on one line. */
export function titleOf(message: string): string {
  const line = message.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= CHAT_MADE_TITLE_CHARACTERS_MAX) return line;
  const head = line.slice(0, CHAT_MADE_TITLE_CHARACTERS_MAX + 1);
  const end = head.lastIndexOf(' ');
  // Never cuts a character in half.
  return `${end > 0 ? head.slice(0, end) : [...head].slice(0, -1).join('')}…`;
}
