import type { LlmFeature } from '@trellis/contract/shapes/llm.ts';
import { setTimeout as delay } from 'node:timers/promises';
import type { Caller } from '#access/caller.ts';
import type { TokenCounts } from '../router/llm-call.ts';
import { assert, isObject } from '#base/assert.ts';
import { LLM_ANSWER_BYTES_MAX, LLM_RETRY_DELAY_MAX_MS } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import { protocolOf, type ChatTarget } from '../provider-settings.ts';
import { withCacheMarks } from '../router/anthropic-cache.ts';
import { exchangeOf } from '../router/exchange.ts';
import { withCacheKey } from '../router/openai-cache.ts';
import type { ProviderRequest } from '../router/provider-client.ts';
import { delayAskedMs, misconfigured } from '../router/provider-problem.ts';
import type { EventStream, StreamedEvent } from '../router/provider-stream.ts';
import type { ModelRunnerParts } from './sdk-model-runner.ts';

export interface ProviderFetchOptions {
  readonly caller: Caller;
  readonly feature: LlmFeature;
  readonly target: ChatTarget;
  readonly model: string;
  /** Output tokens of one answer. */
  readonly answerTokensMax: number;
  readonly signal: AbortSignal;
}

/**
 * The `fetch` that the SDK uses for one run. Whatever address and headers the SDK names, requests
 * go to the configured provider through the client that the router uses: so keys, limits, errors
 * and counting are the same. The SDK only sees valid answers; any error is in `fault`.
 */
export class ProviderFetch {
  readonly #options: ProviderFetchOptions;
  readonly #parts: Pick<ModelRunnerParts, 'admission' | 'streams' | 'running'>;
  #usage: TokenCounts = { inputTokens: 0, outputTokens: 0 };
  #fault: unknown;
  #events: EventStream | undefined;

  constructor(
    options: ProviderFetchOptions,
    parts: Pick<ModelRunnerParts, 'admission' | 'streams' | 'running'>,
  ) {
    this.#options = options;
    this.#parts = parts;
  }

  /** The tokens of all answers so far. */
  get usage(): TokenCounts {
    return this.#usage;
  }

  /** Why the last request failed; undefined when none has failed. */
  get fault(): unknown {
    return this.#fault;
  }

  readonly fetch = async (_address: unknown, init?: { body?: unknown }): Promise<Response> => {
    try {
      const { caller, model } = this.#options;
      // Rights may change during a run, so each step checks them. Whether the model may be asked
      // was checked before: a judge is in no list of models.
      this.#parts.running.check(caller);
      this.#parts.admission.check(caller, model, [model]);
      this.#events = await this.#open(this.#requestOf(init?.body));
      // A started answer is read to its end even when the SDK stops reading: so it is counted,
      // and the request ends.
      const first = await this.#events.next();
      const body = bodyOf(first, this.#events, (fault) => (this.#fault = fault));
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    } catch (error) {
      this.#fault = error;
      throw error;
    }
  };

  #requestOf(given: unknown): ProviderRequest {
    const { target, signal, answerTokensMax } = this.#options;
    const request: unknown = typeof given === 'string' ? JSON.parse(given) : undefined;
    assert(isObject(request) && request['stream'] === true, 'the SDK asks for a stream');
    const protocol = protocolOf(target);
    const { path, body: sent } = exchangeOf(request, {
      client: protocol,
      provider: protocol,
      tokensPerAnswer: answerTokensMax,
      now: 0,
    });
    const { baseUrl, apiKey } = target;
    const body = protocol === 'anthropic' ? withCacheMarks(sent) : withCacheKey(sent, baseUrl);
    return { protocol, baseUrl, apiKey, path, body, headers: {}, signal };
  }

  /**
   * Asks a provider that is busy for a moment a second time: it has not sent any part of its answer
   * yet.
   */
  async #open(request: ProviderRequest): Promise<EventStream> {
    const { streams } = this.#parts;
    const { caller, feature, model } = this.#options;
    const open = (): Promise<EventStream> =>
      streams.open({ caller, feature, model }, request, (counts) => this.#count(counts));
    try {
      return await open();
    } catch (error) {
      const delayMs = shortDelayOf(error);
      if (delayMs === undefined) throw error;
      await delay(delayMs, undefined, { signal: request.signal });
      return open();
    }
  }

  /** Ends the running request. */
  async close(): Promise<void> {
    await this.#events?.return();
  }

  #count({ inputTokens, outputTokens }: TokenCounts): void {
    this.#usage = {
      inputTokens: this.#usage.inputTokens + inputTokens,
      outputTokens: this.#usage.outputTokens + outputTokens,
    };
  }
}

/** The text that the SDK reads: all events as the provider sent them. */
function bodyOf(
  first: IteratorResult<readonly StreamedEvent[], void>,
  events: EventStream,
  onFault: (fault: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let waiting: typeof first | undefined = first;
  let bytes = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = waiting ?? (await events.next());
        waiting = undefined;
        if (next.done === true) {
          controller.close();
          return;
        }
        const piece = encoder.encode(next.value.map(({ raw }) => raw).join(''));
        bytes += piece.length;
        if (bytes > LLM_ANSWER_BYTES_MAX) throw misconfigured('answers with more than is taken.');
        controller.enqueue(piece);
      } catch (error) {
        onFault(error);
        throw error;
      }
    },
  });
}

function shortDelayOf(error: unknown): number | undefined {
  if (!(error instanceof Problem) || error.code !== 'llm_busy') return undefined;
  const delayMs = delayAskedMs(error) ?? Infinity;
  return delayMs <= LLM_RETRY_DELAY_MAX_MS ? delayMs : undefined;
}
