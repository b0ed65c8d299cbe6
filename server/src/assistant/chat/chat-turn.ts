import type { Caller } from '#access/caller.ts';
import type { Snippet } from '../citations/snippets.ts';
import type { ModelOutcome, ToolCall, TurnEvent } from '../model/model-run.ts';
import type { TokenCounts } from '../router/llm-call.ts';

/** What a user says (open-shapes, section 7). */
export interface ChatTurn {
  /** The conversation that it goes on; without one it begins a new one. */
  readonly chatUID?: string | undefined;
  /** There, unless an answer is asked for again. */
  readonly message?: string | undefined;
  /** Tools that the model is offered; all that the user may call when left out. */
  readonly tools?: readonly string[] | undefined;
  /** The node that the user looks at. */
  readonly viewingUID?: string | undefined;
  /** The first that an administrator allows when left out. */
  readonly model?: string | undefined;
  /** A message of the user, which goes with everything after it. */
  readonly editUID?: string | undefined;
  /** An answer, which goes with everything after it. */
  readonly regenerateUID?: string | undefined;
}

/** Who says it, and who listens. */
export interface TurnCall {
  readonly caller: Caller;
  /** Address of the client, for the audit. */
  readonly address: string;
  /** Those that the code of endpoints may see, as JSON text of an object. */
  readonly headers: string;
  /** The header that has proved who calls. */
  readonly authorization: string | undefined;
  /** Aborts when nobody listens any more: then the turn is stopped. */
  readonly signal: AbortSignal;
  /** The message is kept, and the model is asked: what could be refused has been. */
  readonly onBegin: (chat: { readonly chatUID: string; readonly messageUID: string }) => void;
  /** Told at once, in order. */
  readonly onEvent: (event: TurnEvent) => void;
}

/** `stopped`: the client wanted no more of it. */
export type TurnEnd = ModelOutcome['ended'] | 'stopped';

export interface TurnAnswer {
  readonly chatUID: string;
  /** UID of the answer. */
  readonly messageUID: string;
  readonly answer: string;
  readonly citations: readonly Snippet[];
  readonly toolCalls: readonly ToolCall[];
  /** Null when it was stopped: then it is not known. */
  readonly usage: TokenCounts | null;
  readonly model: string;
  readonly ended: TurnEnd;
}

/** What a user thinks of an answer. */
export interface Feedback {
  readonly value: 'up' | 'down';
  readonly comment?: string | undefined;
}

/** The same as it is said; null takes it back. */
export interface Rating {
  readonly value: Feedback['value'] | null;
  readonly comment?: string | undefined;
}
