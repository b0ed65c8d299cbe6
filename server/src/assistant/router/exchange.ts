import type { JsonObject, Protocol } from './llm-call.ts';
import { isObject, listIn, objectIn } from './json-members.ts';
import { openAiAnswer, OpenAiStreamWriter } from './translation/openai-answer.ts';
import { anthropicAnswer, AnthropicStreamWriter } from './translation/anthropic-answer.ts';
import { anthropicRequest } from './translation/anthropic-request.ts';
import { openAiRequest } from './translation/openai-request.ts';

/** What a client gets of a stream, event by event. */
export interface StreamWriter {
  /** Text of whole events, or none. `event` is null for the `[DONE]` of OpenAI's protocol; `raw` is what was sent. */
  write(event: JsonObject | null, raw: string): string;
  /** What comes when the provider has come to its end. */
  end(): string;
}

/** One request of a client, as the provider gets it, and how its answer goes back. */
export interface Exchange {
  /** Of the provider, behind its address. */
  readonly path: string;
  readonly body: JsonObject;
  readonly isStream: boolean;
  /** JSON text for the client, of an answer that is not streamed; `text` is what was sent. */
  answer(answer: JsonObject, text: string): string;
  writer(): StreamWriter;
}

export interface ExchangeOptions {
  readonly client: Protocol;
  readonly provider: Protocol;
  readonly tokensPerAnswer: number;
  /** In milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Throws `llm_request_refused` for what the provider's protocol has no words for. */
export function exchangeOf(request: JsonObject, options: ExchangeOptions): Exchange {
  const { client, provider, tokensPerAnswer, now } = options;
  const isStream = request['stream'] === true;
  const path = provider === 'openai' ? 'chat/completions' : 'messages';
  if (client === 'openai' && provider === 'anthropic') {
    const wantsUsage = hasUsage(request);
    return {
      path,
      isStream,
      body: withinAnthropic(anthropicRequest(request, tokensPerAnswer), tokensPerAnswer),
      answer: (answer) => JSON.stringify(openAiAnswer(answer, now)),
      writer: () => new OpenAiStreamWriter({ wantsUsage, now }),
    };
  }
  if (client === 'anthropic' && provider === 'openai') {
    return {
      path,
      isStream,
      body: withinOpenAi(openAiRequest(request), tokensPerAnswer),
      answer: (answer) => JSON.stringify(anthropicAnswer(answer)),
      writer: () => new AnthropicStreamWriter(),
    };
  }
  const isUsageUnasked = client === 'openai' && !hasUsage(request);
  const within = client === 'openai' ? withinOpenAi : withinAnthropic;
  return {
    path,
    isStream,
    body: within(request, tokensPerAnswer),
    answer: (_answer, text) => text,
    writer: () => ({
      write: (event, raw) => (isUsageUnasked && event !== null && isUsageOnly(event) ? '' : raw),
      end: () => '',
    }),
  };
}

/** The provider counts what is streamed when it is asked to, and it always is. */
function withinOpenAi(request: JsonObject, tokensMax: number): JsonObject {
  const named = ['max_tokens', 'max_completion_tokens'].filter(
    (name) => typeof request[name] === 'number',
  );
  const limits = named.map((name) => [name, Math.min(Number(request[name]), tokensMax)]);
  return {
    ...request,
    ...(limits.length === 0 ? { max_completion_tokens: tokensMax } : Object.fromEntries(limits)),
    ...(request['stream'] === true
      ? { stream_options: { ...objectIn(request['stream_options']), include_usage: true } }
      : {}),
  };
}

function withinAnthropic(request: JsonObject, tokensMax: number): JsonObject {
  return { ...request, max_tokens: Math.min(Number(request['max_tokens']), tokensMax) };
}

function hasUsage(request: JsonObject): boolean {
  return objectIn(request['stream_options'])['include_usage'] === true;
}

function isUsageOnly(event: JsonObject): boolean {
  return isObject(event['usage']) && listIn(event['choices']).length === 0;
}
