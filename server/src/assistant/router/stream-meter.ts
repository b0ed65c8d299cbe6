import { LLM_CHARACTERS_PER_TOKEN } from '#base/llm-limits.ts';
import { countIn, isObject, listIn, objectIn } from './json-members.ts';
import type { JsonObject, Protocol } from './llm-call.ts';
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

export function streamMeter(protocol: Protocol): StreamMeter {
  return protocol === 'openai' ? new OpenAiMeter() : new AnthropicMeter();
}

class OpenAiMeter implements StreamMeter {
  isWhole = false;
  counts: TokenCounts | undefined;
  events = 0;

  see(event: JsonObject): void {
    this.events++;
    if (isObject(event['usage'])) this.counts = openAiCounts(event['usage']);
    const isLast = (choice: unknown): boolean =>
      typeof objectIn(choice)['finish_reason'] === 'string';
    if (listIn(event['choices']).some(isLast)) this.isWhole = true;
  }
}

class AnthropicMeter implements StreamMeter {
  isWhole = false;
  counts: TokenCounts | undefined;
  events = 0;

  see(event: JsonObject): void {
    this.events++;
    if (event['type'] === 'message_stop') this.isWhole = true;
    const usage = event['usage'] ?? objectIn(event['message'])['usage'];
    if (!isObject(usage)) return;
    // Each says what there is so far; the later ones may leave out what was said.
    const { inputTokens, outputTokens } = anthropicCounts(usage);
    this.counts = {
      inputTokens: Math.max(inputTokens, this.counts?.inputTokens ?? 0),
      outputTokens: Math.max(outputTokens, this.counts?.outputTokens ?? 0),
    };
  }
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

export function countsOf(protocol: Protocol, answer: JsonObject): TokenCounts | undefined {
  const { usage } = answer;
  if (!isObject(usage)) return undefined;
  return protocol === 'openai' ? openAiCounts(usage) : anthropicCounts(usage);
}

function openAiCounts(usage: JsonObject): TokenCounts {
  return {
    inputTokens: countIn(usage['prompt_tokens']),
    outputTokens: countIn(usage['completion_tokens']),
  };
}

/** What came from a cache was input too. */
function anthropicCounts(usage: JsonObject): TokenCounts {
  const parts = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];
  return {
    inputTokens: parts.reduce((sum, name) => sum + countIn(usage[name]), 0),
    outputTokens: countIn(usage['output_tokens']),
  };
}
