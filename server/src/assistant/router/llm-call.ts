import type { LlmFeature } from '@trellis/contract/shapes/llm.ts';
import type { Caller } from '#access/caller.ts';
import { countIn, type JsonObject } from './json-members.ts';
import { LLM_CHARACTERS_PER_TOKEN } from '#base/assistant-limits.ts';

/** What a client or a provider speaks. */
export type Protocol = 'openai' | 'anthropic';

/** A request of a client, in its own protocol, checked against the contract and no further. */
export interface LlmCall {
  readonly caller: Caller;
  readonly body: JsonObject & { readonly model: string };
  /** Those that the protocol gives a meaning, such as `anthropic-beta`; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/**
 * Whole, as JSON text; or the events of a stream as text, each piece made of whole events. The
 * stream rejects with a `Problem` when the provider fails on the way, and has to be read to its
 * end, or left.
 */
export type LlmAnswer =
  | { readonly json: string }
  | { readonly events: AsyncGenerator<string, void, undefined> };

/** Who asks which model, and what for: so it is counted. */
export interface LlmAsker {
  readonly caller: Caller;
  readonly feature: LlmFeature;
  readonly model: string;
}

export interface TokenCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What one token, or session, has under way, and has begun within the minute. */
export interface LlmPace {
  readonly token: string;
  readonly requestsUnderWay: number;
  readonly requestsBegun: number;
}

/** Reads on the way what a provider says of its own answer. */
export interface StreamMeter {
  see(event: JsonObject): void;
  /** Whether the provider has come to the end of the answer. */
  readonly isWhole: boolean;
  /** Undefined as long as the provider has not said it. */
  readonly counts: TokenCounts | undefined;
  /** Events seen: where nothing is counted, about one for each token. */
  readonly events: number;
}

/** What the provider did not count. */
export function tokensIn(text: string): number {
  return Math.ceil(text.length / LLM_CHARACTERS_PER_TOKEN);
}

/** What a request may use at most, as far as that can be told of what is sent. */
export function tokensAtMost(request: JsonObject): number {
  const answer = countIn(request['max_completion_tokens'] ?? request['max_tokens']);
  return tokensIn(JSON.stringify(request)) + answer * Math.max(1, countIn(request['n']));
}

/** A provider counts at the end: who leaves before it pays for what there was. */
export function outputOf({ counts, events, isWhole }: StreamMeter): number {
  const counted = counts?.outputTokens ?? 0;
  return isWhole && counts !== undefined ? counted : Math.max(counted, events);
}
