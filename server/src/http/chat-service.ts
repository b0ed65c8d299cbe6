import type { Caller } from '#access/caller.ts';
import type { TurnCall } from '#assistant/chat/chat-turn.ts';
import type {
  Chat,
  ChatAnswer,
  ChatFeedback,
  ChatListQuery,
  ChatOptions,
  ChatSummary,
  ChatTurn,
} from '@trellis/contract/shapes/chat.ts';
import type { List } from '@trellis/contract/shapes/list.ts';
import type { Awaitable } from './answer.ts';

/** Conversations with the assistant, each of its own user. What names one throws `chat_not_found`. */
export interface ChatService {
  /** Throws what the row of the contract names; what is told by `onBegin` is kept by then. */
  say(turn: ChatTurn, call: TurnCall): Promise<ChatAnswer>;
  options(caller: Caller): Awaitable<ChatOptions>;
  /** Throws `chat_limit_reached`. */
  create(caller: Caller, title: string | undefined): Promise<ChatSummary>;
  list(caller: Caller, query: ChatListQuery): Awaitable<List<ChatSummary>>;
  get(caller: Caller, uid: string): Awaitable<Chat>;
  rename(caller: Caller, uid: string, title: string): Promise<ChatSummary>;
  delete(caller: Caller, uid: string): Promise<void>;
  /** Resolves when no answer is under way any more. */
  stop(caller: Caller, uid: string): Promise<void>;
  /** Throws `chat_message_not_found`. */
  rate(caller: Caller, uid: string, messageUid: string, feedback: ChatFeedback): Promise<void>;
}
