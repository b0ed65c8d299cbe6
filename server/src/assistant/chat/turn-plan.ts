import type { ChatTurn } from '@trellis/contract/shapes/chat.ts';
import {
  CHAT_CONTEXT_TOKENS_MAX,
  CHAT_MESSAGES_MAX,
  LLM_CHARACTERS_PER_TOKEN,
} from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import { uidOf } from '#base/uid.ts';
import type { Snippet } from '../citations/snippets.ts';
import type { ModelMessage } from '../model/model-run.ts';
import type { StoredMessage } from './chat-store.ts';

/** The changes that a turn makes to a conversation. */
export interface TurnPlan {
  /** The messages that the turn replaces. */
  readonly replaced: readonly StoredMessage[];
  /** The earlier messages, oldest first. */
  readonly kept: readonly StoredMessage[];
  /** `isNew`: the question has to be stored. */
  readonly question: {
    readonly text: string;
    readonly viewingUID: string | null;
    readonly isNew: boolean;
  };
}

/** Throws `chat_message_not_found`, `chat_limit_reached`. */
export function planTurn(messages: readonly StoredMessage[], turn: ChatTurn): TurnPlan {
  const { message = '', viewingUID: viewed, editUID, regenerateUID } = turn;
  if (regenerateUID !== undefined) return planAgain(messages, regenerateUID);
  const at = editUID === undefined ? messages.length : indexOf(messages, editUID, 'user');
  if (at + 2 > CHAT_MESSAGES_MAX) {
    throw new Problem(
      'chat_limit_reached',
      `A conversation has at most ${CHAT_MESSAGES_MAX} messages.`,
    );
  }
  return {
    replaced: messages.slice(at),
    kept: messages.slice(0, at),
    question: {
      text: message,
      viewingUID: viewed === undefined ? null : uidOf(viewed),
      isNew: true,
    },
  };
}

/** Asks the question of an answer again. */
function planAgain(messages: readonly StoredMessage[], answerUid: string): TurnPlan {
  const at = indexOf(messages, answerUid, 'assistant');
  const asked = messages.slice(0, at).findLastIndex(({ role }) => role === 'user');
  const question = messages[asked];
  if (question?.role !== 'user') throw noMessage(answerUid);
  const { text, viewingUID } = question;
  return {
    replaced: messages.slice(at),
    kept: messages.slice(0, asked),
    question: { text, viewingUID, isNew: false },
  };
}

function indexOf(
  messages: readonly StoredMessage[],
  uid: string,
  role: StoredMessage['role'],
): number {
  const at = messages.findIndex((message) => message.UID === uid && message.role === role);
  if (at < 0) throw noMessage(uid);
  return at;
}

function noMessage(uid: string): Problem {
  return new Problem(
    'chat_message_not_found',
    `There is no message "${uid}" in this conversation.`,
  );
}

/** The messages for the model; the last one is `question`. */
export function contextOf(plan: TurnPlan, question: string): ModelMessage[] {
  const before = plan.kept.map(({ role, text }) => ({ role, text }));
  return withinTokens([...before, { role: 'user', text: question }], CHAT_CONTEXT_TOKENS_MAX);
}

/** The facts that earlier answers have cited. */
export function citedIn(messages: readonly StoredMessage[]): Snippet[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? message.citations : []));
}

/**
 * The messages to send to a model: the last one, the first one (which says what the conversation is
 * about), and as many of the newest between them as `tokensMax` allows. Messages without text, such
 * as failed answers, are left out, because providers refuse them.
 */
export function withinTokens(messages: readonly ModelMessage[], tokensMax: number): ModelMessage[] {
  const said = messages.filter(({ text }) => text !== '');
  const last = said.at(-1);
  const [first] = said;
  if (first === undefined || last === undefined || said.length < 2) return said;
  let left = tokensMax - tokensOf(last) - tokensOf(first);
  if (left < 0) return [last];
  const between = said.slice(1, -1);
  let from = between.length;
  while (from > 0) {
    left -= tokensOf(between[from - 1]);
    if (left < 0) break;
    from--;
  }
  return [first, ...between.slice(from), last];
}

function tokensOf(message: ModelMessage | undefined): number {
  return Math.ceil((message?.text.length ?? 0) / LLM_CHARACTERS_PER_TOKEN);
}
