import { LLM_ANSWER_BYTES_MAX } from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import type { LlmAdmission } from './admission.ts';
import { eventsIn, textWithin, wholeEvents } from './server-events.ts';
import { adapterOf } from './exchange.ts';
import { isObject } from '#base/assert.ts';
import { type JsonObject } from './json-members.ts';
import {
  type LlmAsker,
  outputOf,
  type StreamMeter,
  type TokenCounts,
  tokensAtMost,
  tokensIn,
} from './llm-call.ts';
import type { OpenAnswer, ProviderClient, ProviderRequest } from './provider-client.ts';
import { brokenOff, misconfigured, problemOfEvent } from './provider-problem.ts';

/** One event of a provider; null for the `[DONE]` of OpenAI's protocol. */
export interface StreamedEvent {
  readonly event: JsonObject | null;
  /** The text from the provider. */
  readonly raw: string;
}

/**
 * Each piece has the events that arrived together. Rejects with a `Problem` when the provider
 * fails. Read it to its end, or stop early.
 */
export type EventStream = AsyncGenerator<readonly StreamedEvent[], void, undefined>;

/**
 * Asks providers of chat for streams of events. Each event is checked, and tokens are counted for
 * the caller however the stream ends.
 */
export class ProviderStreams {
  readonly #provider: ProviderClient;
  readonly #admission: LlmAdmission;

  constructor(provider: ProviderClient, admission: LlmAdmission) {
    this.#provider = provider;
    this.#admission = admission;
  }

  /** Rejects like `ProviderClient.send`, and with `too_many_requests`. */
  async open(
    asker: LlmAsker,
    request: ProviderRequest,
    onCounted: (counts: TokenCounts) => void = () => {},
  ): Promise<EventStream> {
    const underWay = this.#admission.begin(asker, tokensAtMost(request.body));
    try {
      const answer = await this.#provider.send(request);
      if (answer.contentType.startsWith('application/json')) {
        // Reads the rest of the answer, so that the connection can be used again.
        await textWithin(answer.chunks, LLM_ANSWER_BYTES_MAX);
        throw misconfigured('answers with no stream.');
      }
      const count = (meter: StreamMeter): void => {
        const counts = {
          inputTokens: meter.counts?.inputTokens ?? tokensIn(JSON.stringify(request.body)),
          outputTokens: outputOf(meter),
        };
        this.#admission.count(asker, counts);
        onCounted(counts);
      };
      return this.#events(request, answer, { underWay, count });
    } catch (error) {
      underWay[Symbol.dispose]();
      throw this.#told(error, request);
    }
  }

  async *#events(
    request: ProviderRequest,
    { chunks }: OpenAnswer,
    { underWay, count }: Accounts,
  ): EventStream {
    const { protocol, apiKey, baseUrl } = request;
    const meter = adapterOf(protocol).meter();
    try {
      let isDone = false;
      for await (const piece of wholeEvents(chunks)) {
        const events: StreamedEvent[] = [];
        for (const { data, raw } of eventsIn(piece)) {
          const event = data === '[DONE]' ? null : eventOf(data, apiKey);
          if (event === null) isDone = true;
          else meter.see(event);
          events.push({ event, raw });
        }
        yield events;
      }
      if (!isDone && !meter.isWhole) throw brokenOff();
      this.#provider.answered(baseUrl);
    } catch (error) {
      throw this.#told(error, request);
    } finally {
      count(meter);
      underWay[Symbol.dispose]();
    }
  }

  /** Records a failure that was found in an answer; returns the problem. */
  failed(problem: Problem, baseUrl: string): Problem {
    return this.#provider.failed(problem, baseUrl);
  }

  #told(error: unknown, { baseUrl }: ProviderRequest): unknown {
    return error instanceof Problem ? this.failed(error, baseUrl) : error;
  }
}

interface Accounts {
  readonly underWay: Disposable;
  readonly count: (meter: StreamMeter) => void;
}

/** Throws for an event that ends the stream early. */
function eventOf(data: string, apiKey: string | null): JsonObject {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch (cause) {
    throw misconfigured('streams something else than JSON.', cause);
  }
  if (!isObject(event)) throw misconfigured('streams something else than objects.');
  if (event['type'] === 'error' || (event['error'] !== undefined && event['error'] !== null)) {
    throw problemOfEvent(data, apiKey);
  }
  return event;
}
