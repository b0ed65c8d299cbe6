import type { LlmFeature } from '@trellis/contract/shapes/llm.ts';
import type { Caller } from '#access/caller.ts';
import type { TokenCounts } from '../router/llm-call.ts';
import type { JsonObject } from '../router/json-members.ts';
import { unreachable } from '#base/assert.ts';

/**
 * A model is asked, calls tools, reads what they give, and goes on until it has an answer or a
 * limit is reached.
 */
export interface ModelRequest {
  /** Whose tokens are used; of a user. */
  readonly caller: Caller;
  /** What asks: use is told apart by it. */
  readonly feature: LlmFeature;
  /** One of those that the settings allow; the first of them when left out. */
  readonly model?: string | undefined;
  readonly instructions: string;
  /** Oldest first; the last is a user's. */
  readonly messages: readonly ModelMessage[];
  /** None of another name can be called. */
  readonly tools: readonly ModelTool[];
  readonly limits: ModelLimits;
  /** Aborts when nobody wants the answer any more. */
  readonly signal: AbortSignal;
  /** Told at once, in order. */
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
  /** What is thrown is told to the model, as code and message of a `Problem`. */
  call(input: JsonObject, signal: AbortSignal): Promise<ToolText>;
}

/** What a tool gives. */
export interface ToolText {
  /** As the model reads it. */
  readonly text: string;
  /** As it is kept and shown to the user; parsed JSON. */
  readonly output: unknown;
}

export interface ModelLimits {
  /** Times that the model is asked; the last time without tools, so that it answers. */
  readonly stepsMax: number;
  readonly toolCallsMax: number;
  /** In and out, over all steps. */
  readonly tokensMax: number;
  /** Out, of one step, where it is less than the settings allow. */
  readonly answerTokensMax?: number | undefined;
  /** For the whole run. */
  readonly timeoutMs: number;
  /** For one call of a tool. */
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

/** A call of a tool that has ended. `output` is absent where `error` is there. */
export interface ToolCall {
  readonly tool: string;
  readonly input: JsonObject;
  readonly output?: unknown;
  readonly error?: { readonly code: string; readonly message: string };
  readonly ms: number;
}

export interface ModelOutcome {
  /** What the model said in all steps, with a blank line between them. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly usage: TokenCounts;
  readonly model: string;
  /** `answer` is the usual end; with any other the text may be cut short. */
  readonly ended: 'answer' | 'length' | 'steps' | 'tool-calls' | 'tokens';
}

export interface ModelRunner {
  /**
   * Rejects with `llm_not_configured`, `model_not_found`, `llm_quota_exceeded`,
   * `too_many_requests`, `llm_request_refused`, `llm_busy`, `llm_unavailable`, `llm_misconfigured`,
   * `llm_timeout` when the run takes longer than it may, `invalid_token` or `forbidden` when the
   * caller loses their rights on the way, and with the reason of the signal. Tokens are counted
   * however it ends.
   */
  run(request: ModelRequest): Promise<ModelOutcome>;
}

/**
 * What is told of a turn on its way, whoever answers: the events `delta` and `tool` of the
 * contract.
 */
export type TurnEvent =
  | { readonly event: 'delta'; readonly data: { readonly text: string } }
  | { readonly event: 'tool'; readonly data: ToolNews };

/** A call of a tool has begun, or ended; `id` says which. */
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
