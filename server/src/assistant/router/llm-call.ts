import type { Caller } from '#access/caller.ts';
import type { LlmFeature } from './llm-usage.ts';

/** What a client or a provider speaks. */
export type Protocol = 'openai' | 'anthropic';

export type JsonObject = Readonly<Record<string, unknown>>;

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
 * Whole, as JSON text; or the events of a stream as text, each piece made of whole events. The stream rejects with a `Problem` when
 * the provider fails on the way, and has to be read to its end, or left.
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
