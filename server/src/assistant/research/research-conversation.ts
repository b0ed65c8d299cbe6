import type { Caller } from '#access/caller.ts';
import type { Clock } from '#base/clock.ts';
import { formatUid, randomUid } from '#base/uid.ts';
import type { WriterOperation } from '#graph/operations.ts';
import {
  type ChatStore,
  chatUsed,
  messageChanged,
  newMessage,
  outcomeFields,
  questionFields,
  replyFields,
  type ReplyOutcome,
} from '../chat/chat-store.ts';
import type { ChatService } from '../chat/chat-service.ts';
import { citedIn, planTurn } from '../chat/turn-plan.ts';
import type { Snippet } from '../citations/snippets.ts';
import type { Problem } from '#base/problem.ts';
import { NO_SUPPORT } from '../support/support.ts';
import type { ResearchReport } from './research-run.ts';

export interface ConversationParts {
  readonly store: ChatStore;
  readonly chat: Pick<ChatService, 'occupy'>;
  readonly clock: Clock;
}

export interface Asked {
  readonly caller: Caller;
  /** UID of the caller. */
  readonly user: string;
  readonly chatUID: string;
  readonly question: string;
  readonly model: string;
  /** Called to end the research before the conversation goes on; resolves when it has ended. */
  readonly stop: () => Promise<void>;
}

/** Calls of tools are not kept: there are many, and the report contains what they found. */
type ResearchReply = Omit<ReplyOutcome, 'toolCalls'>;

/**
 * The conversation in which a research was asked. Until disposed it is busy with the research: no
 * other turn can start. Its answer is stored at the start; an answer without an end was
 * interrupted, unless a research is working on it.
 */
export class ResearchConversation implements Disposable {
  /** The facts cited before in this conversation; new facts get the next numbers. */
  readonly cited: readonly Snippet[];
  readonly #parts: ConversationParts;
  readonly #asked: Asked;
  readonly #replyUid = formatUid(randomUid());
  readonly #occupied: Disposable;

  /** Throws `chat_not_found`, `chat_busy`, `chat_limit_reached`. */
  constructor(parts: ConversationParts, asked: Asked) {
    const { caller, chatUID, question, stop } = asked;
    this.#parts = parts;
    this.#asked = asked;
    using opened = new DisposableStack();
    const occupant = { work: 'research', messageUID: this.#replyUid, stop } as const;
    opened.use(parts.chat.occupy(caller, chatUID, occupant));
    this.cited = citedIn(planTurn(parts.store.messages(chatUID), { message: question }).kept);
    this.#occupied = opened.move();
  }

  /** Stores the question, and an answer without an end. */
  begin(trace: WriterOperation): Promise<void> {
    const { store, clock } = this.#parts;
    const { user, chatUID, question: text, model } = this.#asked;
    const atMs = clock.now();
    const question = questionFields({ text, viewingUID: null });
    const reply = replyFields(model);
    return store.commit([
      chatUsed(chatUID, atMs),
      ...newMessage(user, chatUID, { uid: formatUid(randomUid()), atMs, fields: question }),
      ...newMessage(user, chatUID, { uid: this.#replyUid, atMs, fields: reply }),
      trace,
    ]);
  }

  end(reply: ResearchReply, trace: WriterOperation): Promise<void> {
    const { store, clock } = this.#parts;
    return store.commit([
      messageChanged(this.#replyUid, outcomeFields({ ...reply, toolCalls: [] })),
      chatUsed(this.#asked.chatUID, clock.now()),
      trace,
    ]);
  }

  [Symbol.dispose](): void {
    this.#occupied[Symbol.dispose]();
  }
}

/** The end of a research. */
export interface ResearchEnd {
  readonly state: 'succeeded' | 'failed' | 'cancelled';
  readonly reply: ResearchReply;
  /** Details for the audit; they never contain the question or the answer. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly failure?: Problem;
}

export function succeeded({ limit, ...report }: ResearchReport): ResearchEnd {
  const ended = limit === 'steps' || limit === 'tokens' ? limit : 'answer';
  const { usage, citations } = report;
  const { supportRate } = report.support;
  const sources = citations.length;
  const details = { usage, sources, supportRate, ...(limit === null ? {} : { limit }) };
  return { state: 'succeeded', reply: { ...report, ended, error: null }, details };
}

export function failed(failure: Problem): ResearchEnd {
  const { code, message } = failure;
  const reply = { ...noReport('failed'), error: { code, message } };
  return { state: 'failed', reply, details: { code }, failure };
}

export function cancelled(): ResearchEnd {
  return { state: 'cancelled', reply: noReport('stopped'), details: {} };
}

function noReport(ended: 'stopped' | 'failed'): ResearchReply {
  return { text: '', citations: [], support: NO_SUPPORT, usage: null, error: null, ended };
}
