import type { LlmFeature } from '@trellis/contract/shapes/llm.ts';
import type { Caller } from '#access/caller.ts';
import type { TokenCounts } from '../router/llm-call.ts';
import type { JsonObject } from '../router/json-members.ts';
import { unreachable } from '#base/assert.ts';

/**
 * One run of a model: it is asked, calls tools and reads their results, until it has an answer or
 * reaches a limit.
 */
export interface ModelRequest {
  /** The user whose tokens are used. */
  readonly caller: Caller;
  /** The feature that asks; usage is counted for each feature. */
  readonly feature: LlmFeature;
  /** A model that the settings allow; the first allowed model when left out. */
  readonly model?: string | undefined;
  /**
   * The provider that is asked for `model`, which then may be one that users may not ask; see
   * `LlmAdmission.namedTarget`.
   */
  readonly provider?: string | undefined;
  readonly instructions: string;
  /** Oldest first; the last message is from the user. */
  readonly messages: readonly ModelMessage[];
  /** The model can call no other tools. */
  readonly tools: readonly ModelTool[];
  readonly limits: ModelLimits;
  /** Aborts when nobody wants the answer any more. */
  readonly signal: AbortSignal;
  /** Called immediately for each event, in order. */
  readonly onEvent?: ((event: ModelEvent) => void) | undefined;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string };

export interface ModelTool {
  /** Letters, digits, "_" and "-". */
  readonly name: string;
  readonly description: string;
  /** A JSON Schema of an object. */
  readonly inputSchema: JsonObject;
  /** When it throws a `Problem`, the model reads its code and message. */
  call(input: JsonObject, signal: AbortSignal): Promise<ToolText>;
}

/** The result of a tool. */
export interface ToolText {
  /** The text that the model reads. */
  readonly text: string;
  /** Parsed JSON that is stored and shown to the user. */
  readonly output: unknown;
}

export interface ModelLimits {
  /**
   * The number of times that the model is asked. The last time it gets no tools, so that it
   * answers.
   */
  readonly stepsMax: number;
  readonly toolCallsMax: number;
  /** Input and output tokens of all steps. */
  readonly tokensMax: number;
  /**
   * Whether a run that has used its tokens up ends without an answer. By default it may go over
   * them once, for its answer.
   */
  readonly isStrict?: boolean | undefined;
  /** Output tokens of one step; counts only when lower than the limit in the settings. */
  readonly answerTokensMax?: number | undefined;
  /** For the whole run, in milliseconds. */
  readonly timeoutMs: number;
  /** For one call of a tool, in milliseconds. */
  readonly toolTimeoutMs: number;
}

export type ModelEvent =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'tool-call';
      readonly id: string;
      readonly tool: string;
      readonly input: JsonObject;
    }
  | { readonly kind: 'tool-result'; readonly id: string; readonly call: ToolCall };

/** A finished call of a tool. It has either `output` or `error`. */
export interface ToolCall {
  readonly tool: string;
  readonly input: JsonObject;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  readonly ms: number;
}

export interface ModelOutcome {
  /** The text of all steps, with a blank line between them. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: TokenCounts;
  readonly model: string;
  /** `answer` is the normal end; with any other, the text may be incomplete. */
  readonly ended: 'answer' | 'length' | 'steps' | 'tool-calls' | 'tokens';
}

export interface ModelRunner {
  /**
   * Rejects with `llm_not_configured`, `model_not_found`, `llm_quota_exceeded`,
   * `too_many_requests`, `llm_request_refused`, `llm_busy`, `llm_unavailable`, `llm_misconfigured`,
   * with `llm_timeout` when the run takes too long, with `invalid_token` or `forbidden` when the
   * caller loses their rights during the run, and with the reason of the signal. Tokens are counted
   * even when the run fails.
   */
  run(request: ModelRequest): Promise<ModelOutcome>;
}

/** An event during a turn: `delta` or `tool` of the contract. */
export type TurnEvent =
  | { readonly event: 'delta'; readonly data: { readonly text: string } }
  | { readonly event: 'tool'; readonly data: ToolNews };

/** A call of a tool has started or ended; `id` identifies the call. */
type ToolNews =
  | ({ readonly state: 'begun'; readonly id: string } & Pick<ToolCall, 'tool' | 'input'>)
  | ({ readonly state: 'ended'; readonly id: string } & ToolCall);

export function turnEvent(event: ModelEvent): TurnEvent {
  switch (event.kind) {
    case 'text':
      return { event: 'delta', data: { text: event.text } };
    case 'tool-call': {
      const { id, tool, input } = event;
      return { event: 'tool', data: { state: 'begun', id, tool, input } };
    }
    case 'tool-result':
      return { event: 'tool', data: { state: 'ended', id: event.id, ...event.call } };
    default:
      return unreachable(event);
  }
}
