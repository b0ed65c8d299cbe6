import type { LlmFeature } from '@trellis/contract/shapes/llm.ts';
import type { Caller } from '#access/caller.ts';
import { countIn, type JsonObject } from './json-members.ts';
import { LLM_CHARACTERS_PER_TOKEN } from '#base/assistant-limits.ts';
import { inputTokensMax } from './input-bound.ts';

/** The protocol of a provider, and what clients speak as well. */
export type Protocol = 'openai' | 'anthropic';
export type ClientProtocol = Protocol | 'openai-responses';

/** A request of a client in its own protocol; only checked against the contract. */
export interface LlmCall {
  readonly caller: Caller;
  readonly body: JsonObject & { readonly model: string };
  /** Headers with a meaning in the protocol, such as `anthropic-beta`; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/**
 * JSON text of the whole answer, or a stream: each piece is the text of one or more whole events.
 * The stream rejects with a `Problem` when the provider fails. Read it to its end, or stop early.
 */
export type LlmAnswer =
  | { readonly json: string }
  | { readonly events: AsyncGenerator<string, void, undefined> };

/** Who asks which model for which feature; usage is counted by these. */
export interface LlmAsker {
  readonly caller: Caller;
  readonly feature: LlmFeature;
  readonly model: string;
}

export interface TokenCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The requests of one token or session: those running, and those begun in this minute. */
export interface LlmPace {
  readonly token: string;
  readonly requestsUnderWay: number;
  readonly requestsBegun: number;
}

/** Reads the token counts in a stream of events. */
export interface StreamMeter {
  see(event: JsonObject): void;
  /** Whether the provider has sent the end of the answer. */
  readonly isWhole: boolean;
  /** Undefined until the provider has sent counts. */
  readonly counts: TokenCounts | undefined;
  /** Number of events; there is about one for each token, for providers that do not count. */
  readonly events: number;
}

/** Estimated tokens of a text, for when the provider does not count. */
export function tokensIn(text: string): number {
  return Math.ceil(text.length / LLM_CHARACTERS_PER_TOKEN);
}

/** The most tokens that a request can use. */
export function tokensAtMost(request: JsonObject): TokenCounts {
  const answer = countIn(request['max_completion_tokens'] ?? request['max_tokens']);
  return {
    inputTokens: inputTokensMax(request),
    outputTokens: answer * Math.max(1, countIn(request['n'])),
  };
}

/**
 * The output tokens of a stream. Providers send the count at the end: when the client leaves
 * earlier, the events are counted instead.
 */
export function outputOf({ counts, events, isWhole }: StreamMeter): number {
  const counted = counts?.outputTokens ?? 0;
  return isWhole && counts !== undefined ? counted : Math.max(counted, events);
}
