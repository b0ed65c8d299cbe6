import type { AnswerSupport } from '@trellis/contract/shapes/support.ts';
import type { Caller } from '#access/caller.ts';
import type { Snippet } from '../citations/snippets.ts';
import type { ModelOutcome, ToolCall, TurnEvent } from '../model/model-run.ts';
import type { TokenCounts } from '../router/llm-call.ts';

/** The sender of a message, and the listeners to its answer. */
export interface TurnCall {
  readonly caller: Caller;
  /** Address of the client, for the audit. */
  readonly address: string;
  /** The headers that endpoint code may see, as JSON text of an object. */
  readonly headers: string;
  /** The `Authorization` header of the caller. */
  readonly authorization: string | undefined;
  /**
   * Aborts when nobody listens any more; this stops the turn. The reason is a `Problem` where it is
   * not the client who has gone.
   */
  readonly signal: AbortSignal;
  /**
   * Called when the message is stored and the model is about to be asked: from now on nothing is
   * refused.
   */
  readonly onBegin: (chat: { readonly chatUID: string; readonly messageUID: string }) => void;
  /** Called at once for each event, in order. */
  readonly onEvent: (event: TurnEvent) => void;
}

/** `stopped`: the client has stopped the answer. `interrupted`: the server stops. */
export type TurnEnd = ModelOutcome['ended'] | 'stopped' | 'interrupted';

export interface TurnAnswer extends AnswerSupport {
  readonly chatUID: string;
  /** UID of the answer. */
  readonly messageUID: string;
  readonly answer: string;
  readonly citations: readonly Snippet[];
  readonly toolCalls: readonly ToolCall[];
  /** Null when the answer was cut off: the provider counts only at the end. */
  readonly usage: TokenCounts | null;
  readonly model: string;
  readonly ended: TurnEnd;
}

/** What a user thinks of an answer. */
export interface Feedback {
  readonly value: 'up' | 'down';
  readonly comment?: string | undefined;
}

/** The rating in a request; the value null removes it. */
export interface Rating {
  readonly value: Feedback['value'] | null;
  readonly comment?: string | undefined;
}
