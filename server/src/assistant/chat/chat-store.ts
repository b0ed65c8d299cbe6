import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import type { AnswerSupport } from '@trellis/contract/shapes/support.ts';
import { must } from '#base/assert.ts';
import { commitAndRead } from '#graph/commit-and-read.ts';
import type { CommitPort, NodeReference, WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Snippet } from '../citations/snippets.ts';
import { keptSupport, type KeptSupport, supportOf } from '../support/kept-support.ts';
import type { ToolCall } from '../model/model-run.ts';
import type { Feedback, TurnEnd } from './chat-turn.ts';
import type { TokenCounts } from '../router/llm-call.ts';

/** The types of `#graph/system-schema.ts` in which conversations are kept. */
const CHAT_TYPE = '_MessageChannel';
const MESSAGE_TYPE = '_Message';
/** Edges from a user to their conversations, and from a conversation to its messages. */
const HAS_CHAT = '_HasChat';
const HAS_MESSAGE = '_HasMessage';
/** One node for each value of a rating; its edges lead to the answers that are rated so. */
const FEEDBACK_TYPE = '_FeedbackList';
const HAS_FEEDBACK = '_HasFeedback';
const RATINGS = ['up', 'down'] as const;

export interface StoredChat {
  readonly UID: string;
  readonly title: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** Time of the last turn. */
  readonly updatedAt: string;
}

export interface StoredQuestion {
  readonly UID: string;
  readonly role: 'user';
  readonly text: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly viewingUID: string | null;
}

export interface StoredReply {
  readonly UID: string;
  readonly role: 'assistant';
  readonly text: string;
  readonly at: string;
  readonly model: string;
  readonly citations: readonly Snippet[];
  readonly toolCalls: readonly ToolCall[];
  /** Null until the answer has ended, and when it is not known. */
  readonly usage: TokenCounts | null;
  readonly ended: ReplyEnd | null;
  readonly error: ReplyError | null;
  readonly feedback: Feedback | null;
  readonly support: KeptSupport;
}

export type ReplyEnd = TurnEnd | 'failed';
/** An answer that its user has rated, and so shows to administrators. */
export interface RatedReply {
  /** UID of the user whose conversation it is. */
  readonly user: string;
  readonly chatUID: string;
  readonly reply: StoredReply & { readonly feedback: Feedback };
}

export interface ReplyError {
  readonly code: string;
  readonly message: string;
}
export type StoredMessage = StoredQuestion | StoredReply;

/** The parts of a reply that are known when it ends. */
export type ReplyOutcome = Pick<StoredReply, 'text' | 'citations' | 'toolCalls' | 'error'> & {
  readonly support: AnswerSupport;
  readonly usage: TokenCounts | null;
  readonly ended: ReplyEnd;
};

type Fields = Readonly<Record<string, unknown>>;

/**
 * Conversations, stored as nodes that only their user may see. A later message has a higher id, so
 * the edges of a conversation list its messages in order.
 */
export class ChatStore {
  readonly #reader: GraphReader;
  readonly #commits: CommitPort;

  constructor(reader: GraphReader, commits: CommitPort) {
    this.#reader = reader;
    this.#commits = commits;
  }

  /** The conversations of a user, in no order. */
  chats(userUid: string): StoredChat[] {
    const ids = this.#neighbors({ uid: userUid }, HAS_CHAT);
    return ids.map((id) => chatOf(must(this.#reader.node(id), 'a conversation')));
  }

  countOfChats(userUid: string): number {
    return this.#neighbors({ uid: userUid }, HAS_CHAT).length;
  }

  /** Undefined when the conversation does not exist or belongs to another user. */
  find(userUid: string, chatUid: string): StoredChat | undefined {
    this.#reader.refresh();
    const id = this.#reader.id({ uid: chatUid });
    if (id === undefined || this.#reader.typeOf(id) !== CHAT_TYPE) return undefined;
    const [owner] = this.#reader.neighbors(id, 'in', HAS_CHAT);
    if (owner === undefined || this.#reader.uid(owner) !== userUid) return undefined;
    return chatOf(must(this.#reader.node(id), 'a conversation'));
  }

  /** Oldest first. */
  messages(chatUid: string): StoredMessage[] {
    const ids = this.#neighbors({ uid: chatUid }, HAS_MESSAGE);
    return ids.map((id) => messageOf(must(this.#reader.node(id), 'a message')));
  }

  /** The ids of answers that are rated so, or at all; the newest answer first. */
  rated(value: Feedback['value'] | undefined): number[] {
    this.#reader.refresh();
    const lists = RATINGS.filter((one) => value === undefined || one === value);
    // As they are at one commit: an answer that is rated anew meanwhile is in one of them.
    const found = lists.map((key) => this.#reader.id({ type: FEEDBACK_TYPE, key }));
    return found
      .filter((id) => id !== undefined)
      .flatMap((id) => this.#reader.neighbors(id, 'out', HAS_FEEDBACK))
      .toSorted((a, b) => b - a);
  }

  /** When the message was written, in milliseconds. */
  timeOf(id: number): number {
    const { Timestamp } = must(this.#reader.node(id), 'a message');
    return Date.parse(Timestamp);
  }

  /** Undefined for an answer that is not rated in a way that shows it. */
  findRated(messageUid: string): RatedReply | undefined {
    this.#reader.refresh();
    const id = this.#reader.id({ uid: messageUid });
    const lists = id === undefined ? [] : this.#reader.neighbors(id, 'in', HAS_FEEDBACK);
    return id === undefined || lists.length === 0 ? undefined : this.ratedReply(id);
  }

  ratedReply(id: number): RatedReply | undefined {
    const message = messageOf(must(this.#reader.node(id), 'a message'));
    const [chat] = this.#reader.neighbors(id, 'in', HAS_MESSAGE);
    const [owner] = chat === undefined ? [] : this.#reader.neighbors(chat, 'in', HAS_CHAT);
    if (chat === undefined || owner === undefined || message.role === 'user') return undefined;
    const [user, chatUID] = [this.#reader.uid(owner), this.#reader.uid(chat)];
    const { feedback } = message;
    if (user === undefined || chatUID === undefined || feedback === null) return undefined;
    return { user, chatUID, reply: { ...message, feedback } };
  }

  /** Rejects with the problems of the writer. */
  async commit(operations: readonly WriterOperation[]): Promise<void> {
    await commitAndRead(operations, { commits: this.#commits, reader: this.#reader });
  }

  #neighbors(of: NodeReference, edge: string): number[] {
    this.#reader.refresh();
    const id = this.#reader.id(of);
    return id === undefined ? [] : this.#reader.neighbors(id, 'out', edge);
  }
}

/** `atMs` is that of the clock. */
export function newChat(
  userUid: string,
  chat: { readonly uid: string; readonly title: string; readonly atMs: number },
): WriterOperation[] {
  const { uid, title, atMs } = chat;
  const fields = { Title: title, CreatedAt: atMs };
  return [
    { op: 'addOrUpdate', type: CHAT_TYPE, uid, fields, timestamp: atMs },
    { op: 'restrict', node: { uid }, user: { uid: userUid } },
    { op: 'link', from: { uid: userUid }, edge: HAS_CHAT, to: { uid } },
  ];
}

/** Sets the time of the last turn to now. */
export function chatUsed(uid: string, atMs: number): WriterOperation {
  return { op: 'update', type: CHAT_TYPE, uid, timestamp: atMs };
}

export function chatTitled(uid: string, title: string): WriterOperation {
  return { op: 'update', type: CHAT_TYPE, uid, fields: { Title: title } };
}

/** Adds a message at the end of a conversation. */
export function newMessage(
  userUid: string,
  chatUid: string,
  message: { readonly uid: string; readonly atMs: number; readonly fields: Fields },
): WriterOperation[] {
  const { uid, atMs, fields } = message;
  return [
    { op: 'addOrUpdate', type: MESSAGE_TYPE, uid, fields, timestamp: atMs },
    { op: 'restrict', node: { uid }, user: { uid: userUid } },
    { op: 'link', from: { uid: chatUid }, edge: HAS_MESSAGE, to: { uid } },
  ];
}

export function messageChanged(uid: string, fields: Fields): WriterOperation {
  return { op: 'update', type: MESSAGE_TYPE, uid, fields };
}

export function removed(uids: readonly string[]): WriterOperation[] {
  return uids.map((uid) => ({ op: 'delete', uid }));
}

export function replyFields(model: string): Fields {
  return { Role: 'assistant', Model: model };
}

export function questionFields({ text, viewingUID }: Pick<StoredQuestion, 'text' | 'viewingUID'>) {
  return { Role: 'user', Text: text, ...(viewingUID === null ? {} : { ViewingUid: viewingUID }) };
}

export function outcomeFields(outcome: ReplyOutcome): Fields {
  const { text, ended, citations, toolCalls, usage, error, support } = outcome;
  return {
    Text: text,
    Ended: ended,
    Citations: asJson(citations),
    Support: asJson(keptSupport(support)),
    ToolCalls: asJson(toolCalls),
    InputTokens: usage?.inputTokens ?? null,
    OutputTokens: usage?.outputTokens ?? null,
    Error: error === null ? null : asJson(error),
  };
}

/**
 * Rates an answer, and puts it into the list of its rating. Two of these at once leave the answer
 * in the list of the last one.
 */
export function rating(uid: string, feedback: Feedback | null): WriterOperation[] {
  return [
    messageChanged(uid, { Feedback: feedback === null ? null : asJson(feedback) }),
    ...RATINGS.flatMap((key): WriterOperation[] => {
      const list = { type: FEEDBACK_TYPE, key };
      const edge = { from: list, edge: HAS_FEEDBACK, to: { uid } } as const;
      return [
        { op: 'tryAdd', ...list },
        { op: feedback?.value === key ? 'link' : 'unlink', ...edge },
      ];
    }),
  ];
}

function chatOf(node: NodeObject): StoredChat {
  return {
    UID: node.UID,
    title: String(node['Title'] ?? ''),
    createdAt: String(node['CreatedAt'] ?? node.Timestamp),
    updatedAt: node.Timestamp,
  };
}

function messageOf(node: NodeObject): StoredMessage {
  const { UID, Timestamp: at } = node;
  const text = String(node['Text'] ?? '');
  if (node['Role'] === 'user') {
    const viewing = node['ViewingUid'];
    return { UID, role: 'user', text, at, viewingUID: viewing === undefined ? null : `${viewing}` };
  }
  return {
    UID,
    role: 'assistant',
    text,
    at,
    model: String(node['Model'] ?? ''),
    citations: (node['Citations'] as readonly Snippet[] | undefined) ?? [],
    toolCalls: (node['ToolCalls'] as readonly ToolCall[] | undefined) ?? [],
    usage: usageOf(node),
    ended: (node['Ended'] as ReplyEnd | undefined) ?? null,
    error: (node['Error'] as ReplyError | undefined) ?? null,
    feedback: (node['Feedback'] as Feedback | undefined) ?? null,
    support: supportOf(node['Support']),
  };
}

/** The value of a `Long` may be a text of digits. */
function usageOf({ InputTokens: input, OutputTokens: output }: NodeObject): TokenCounts | null {
  if (input === undefined || output === undefined) return null;
  return { inputTokens: Number(input), outputTokens: Number(output) };
}

/** The value as it will be read later: without undefined members. */
function asJson(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
