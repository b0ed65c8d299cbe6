import { LLM_CHARACTERS_PER_TOKEN } from '#base/llm-limits.ts';
import { countIn } from './json-members.ts';
import type { JsonObject } from './llm-call.ts';
import type { TokenCounts } from './llm-usage.ts';

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

/** A provider counts at the end: whoever leaves before it pays for what there was. */
export function outputOf({ counts, events, isWhole }: StreamMeter): number {
  const counted = counts?.outputTokens ?? 0;
  return isWhole && counts !== undefined ? counted : Math.max(counted, events);
}
