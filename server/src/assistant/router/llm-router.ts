import type { LlmFeature } from '@trellis/contract/shapes/llm.ts';
import type { Clock } from '#base/clock.ts';
import { LLM_ANSWER_BYTES_MAX } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import { protocolOf } from '../provider-settings.ts';
import type { LlmAdmission } from './admission.ts';
import { textWithin } from './server-events.ts';
import {
  adapterOf,
  type Exchange,
  exchangeOf,
  type ExchangeOptions,
  type StreamWriter,
} from './exchange.ts';
import { isObject } from '#base/assert.ts';
import { type JsonObject, objectIn } from './json-members.ts';
import { KeptMessages } from './kept-messages.ts';
import {
  type ClientProtocol,
  type LlmAnswer,
  type LlmAsker,
  type LlmCall,
  tokensAtMost,
  tokensIn,
} from './llm-call.ts';
import type { ProviderClient, ProviderRequest } from './provider-client.ts';
import { misconfigured } from './provider-problem.ts';
import type { EventStream, ProviderStreams } from './provider-stream.ts';

export interface LlmRouterParts {
  readonly admission: LlmAdmission;
  readonly provider: ProviderClient;
  /** Sends requests to the same providers. */
  readonly streams: ProviderStreams;
  readonly embeddingsProvider: ProviderClient;
  readonly clock: Clock;
}

/**
 * Sends requests of clients, in OpenAI's or Anthropic's protocol, to the provider of chat that has
 * the model, with that provider's key and in its protocol. Applies the limits of the settings, and
 * counts the usage (open-shapes, section 7).
 */
export class LlmRouter {
  readonly #parts: LlmRouterParts;
  readonly #kept = new KeptMessages();

  constructor(parts: LlmRouterParts) {
    this.#parts = parts;
  }

  /** The models that clients may ask. Throws `llm_not_configured`. */
  models(): readonly string[] {
    return this.#parts.admission.models();
  }

  /** Throws `llm_not_configured`, `model_not_found`. */
  model(name: string): string {
    if (this.models().includes(name)) return name;
    throw new Problem('model_not_found', `There is no model "${name}" here.`);
  }

  /**
   * The tokens of a request in Anthropic's protocol: as its provider counts them, or estimated.
   * Uses no tokens of the day. Throws like `chat`.
   */
  async countTokens(call: LlmCall): Promise<LlmAnswer> {
    const { admission, provider } = this.#parts;
    const target = admission.chatTarget(call.body.model);
    admission.check(call.caller, call.body.model, target.models);
    using _underWay = admission.begin(
      { caller: call.caller, model: call.body.model },
      { inputTokens: 0, outputTokens: 0 },
    );
    const { baseUrl, apiKey } = target;
    const { body } = call;
    const protocol = protocolOf(target);
    const request = { protocol, baseUrl, apiKey, path: 'messages/count_tokens', body };
    if (protocol !== 'anthropic') return estimated(body);
    try {
      const text = await textOf((await provider.send({ ...request, ...partsOf(call) })).chunks);
      const { input_tokens: count } = objectIn(JSON.parse(text));
      return typeof count === 'number' ? { json: text } : estimated(body);
    } catch (error) {
      // Other servers with this protocol need not count.
      if (error instanceof SyntaxError || isMisconfigured(error)) return estimated(body);
      throw error;
    }
  }

  /**
   * Throws `llm_not_configured`, `model_not_found`, `llm_quota_exceeded`, `too_many_requests`, and
   * for a failure of the provider `llm_request_refused`, `llm_busy`, `llm_unavailable` or
   * `llm_misconfigured`.
   */
  async chat(client: ClientProtocol, call: LlmCall): Promise<LlmAnswer> {
    const { admission } = this.#parts;
    const target = admission.chatTarget(call.body.model);
    admission.check(call.caller, call.body.model, target.models);
    const protocol = protocolOf(target);
    const { tokensPerAnswer, baseUrl, apiKey } = target;
    const exchange = this.#exchangeOf(call, { client, provider: protocol, tokensPerAnswer });
    const { path, body, isStream } = exchange;
    const request = { protocol, baseUrl, apiKey, path, body, ...partsOf(call) };
    // The provider may use another protocol, in which these headers have no meaning.
    const sent = client === protocol ? request : { ...request, headers: {} };
    const asker = { caller: call.caller, feature: 'router', model: call.body.model } as const;
    if (isStream) return this.#stream(asker, sent, exchange.writer());
    return this.#whole(this.#parts.provider, asker, sent, exchange.answer);
  }

  #exchangeOf(
    { caller, body }: LlmCall,
    options: Omit<ExchangeOptions, 'now' | 'onMessage'>,
  ): Exchange {
    const now = this.#parts.clock.now();
    if (options.client !== 'openai-responses') return exchangeOf(body, { ...options, now });
    const user = caller.userUid ?? caller.tokenId;
    const onMessage = (id: string, text: string): void => this.#kept.keep(user, id, text);
    const kept = body['store'] === false ? {} : { onMessage };
    return exchangeOf(this.#kept.expanded(user, body), { ...options, now, ...kept });
  }

  /**
   * Like `chat`, for the provider of embeddings; throws `embeddings_not_configured` when none is
   * set.
   */
  async embeddings(call: LlmCall, feature: LlmFeature): Promise<LlmAnswer> {
    const { admission, embeddingsProvider } = this.#parts;
    const { target, model } = admission.embeddings();
    admission.check(call.caller, call.body.model, [model]);
    const { body, caller } = call;
    const request = { protocol: 'openai', path: 'embeddings', body, ...target } as const;
    const sent = { ...request, ...partsOf(call) };
    return this.#whole(
      embeddingsProvider,
      { caller, feature, model },
      sent,
      (_answer, text) => text,
    );
  }

  async #whole(
    provider: ProviderClient,
    asker: LlmAsker,
    request: ProviderRequest,
    answerOf: (answer: JsonObject, text: string) => string,
  ): Promise<LlmAnswer> {
    using _underWay = this.#parts.admission.begin(asker, tokensAtMost(request.body));
    try {
      const text = await textOf((await provider.send(request)).chunks);
      const answer = answerIn(text, request);
      const counts = adapterOf(request.protocol).countsOf(answer) ?? {
        inputTokens: tokensIn(JSON.stringify(request.body)),
        outputTokens: tokensIn(text),
      };
      this.#parts.admission.count(asker, counts);
      const json = answerOf(answer, text);
      provider.answered(request.baseUrl);
      return { json };
    } catch (error) {
      throw error instanceof Problem ? provider.failed(error, request.baseUrl) : error;
    }
  }

  async #stream(
    asker: LlmAsker,
    request: ProviderRequest,
    writer: StreamWriter,
  ): Promise<LlmAnswer> {
    const events = await this.#parts.streams.open(asker, request);
    return { events: this.#written(events, writer, request) };
  }

  async *#written(
    events: EventStream,
    writer: StreamWriter,
    { baseUrl }: ProviderRequest,
  ): AsyncGenerator<string, void, undefined> {
    try {
      for await (const piece of events) {
        let text = '';
        for (const { event, raw } of piece) text += writer.write(event, raw);
        if (text !== '') yield text;
      }
    } catch (error) {
      // An answer that cannot be translated. All other failures are already recorded by the stream.
      throw error instanceof Problem ? this.#parts.provider.failed(error, baseUrl) : error;
    }
    const end = writer.end();
    if (end !== '') yield end;
  }
}

function estimated(body: JsonObject): LlmAnswer {
  return { json: JSON.stringify({ input_tokens: tokensIn(JSON.stringify(body)) }) };
}

function isMisconfigured(error: unknown): boolean {
  return error instanceof Problem && error.code === 'llm_misconfigured';
}

function partsOf({ headers, signal }: LlmCall): Pick<ProviderRequest, 'headers' | 'signal'> {
  return { headers, signal };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const text = await textWithin(chunks, LLM_ANSWER_BYTES_MAX);
  if (text !== undefined) return text;
  throw misconfigured(`answers with more than ${LLM_ANSWER_BYTES_MAX} bytes.`);
}

/** Parses an answer, and checks that it has the list that each answer has. */
function answerIn(text: string, { path }: ProviderRequest): JsonObject {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw misconfigured('answers with something else than JSON.', cause);
  }
  const member = { messages: 'content', embeddings: 'data' }[path] ?? 'choices';
  if (isObject(answer) && Array.isArray(answer[member])) return answer;
  throw misconfigured(`answers without "${member}".`);
}
