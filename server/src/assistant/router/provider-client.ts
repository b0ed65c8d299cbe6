import type { Clock } from '#base/clock.ts';
import {
  LLM_FAILURE_BYTES_MAX,
  LLM_HEAD_TIMEOUT_MS,
  LLM_IDLE_TIMEOUT_MS,
} from '#base/assistant-limits.ts';
import { Problem } from '#base/problem.ts';
import { textWithin } from './server-events.ts';
import { adapterOf } from './exchange.ts';
import type { JsonObject } from './json-members.ts';
import type { Protocol } from './llm-call.ts';
import {
  brokenOff,
  faultWords,
  problemOfAnswer,
  tooLate,
  unreachable,
} from './provider-problem.ts';

export interface TransportRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

export interface TransportAnswer {
  readonly status: number;
  readonly contentType: string;
  /** The header `Retry-After`. */
  readonly retryAfter: string | null;
  /** Read it to its end, or stop early: both end the request. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends a POST request without following redirects. Only `app` provides one. */
export type ProviderTransport = (
  address: string,
  request: TransportRequest,
) => Promise<TransportAnswer>;

export interface ProviderClientParts {
  readonly transport: ProviderTransport;
  readonly clock: Clock;
  readonly timeouts?: ProviderTimeouts;
}

interface ProviderTimeouts {
  /** Milliseconds until the headers of the answer arrive. */
  readonly headMs: number;
  /** Milliseconds between two chunks of the answer. */
  readonly idleMs: number;
}

export interface ProviderRequest {
  readonly protocol: Protocol;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly path: string;
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** An answer with status 200. */
export interface OpenAnswer {
  readonly contentType: string;
  /** Read it to its end, or stop early: both end the request. */
  readonly chunks: AsyncGenerator<Uint8Array, void, undefined>;
}

/** How a provider has answered since the server started; times are those of the clock. */
export interface ProviderState {
  readonly lastAnswerAt: number | null;
  readonly lastErrorAt: number | null;
  /** Whether the last request failed. */
  readonly isFailing: boolean;
  /** A message that contains no key. */
  readonly lastError: string | null;
}

const NOT_ASKED: ProviderState = {
  lastAnswerAt: null,
  lastErrorAt: null,
  isFailing: false,
  lastError: null,
};

/**
 * Sends requests to providers, each with its key, and only to its address: redirects are not
 * followed.
 */
export class ProviderClient {
  readonly #parts: ProviderClientParts;
  readonly #timeouts: ProviderTimeouts;
  /** By base URL. */
  readonly #states = new Map<string, ProviderState>();

  constructor(parts: ProviderClientParts) {
    this.#parts = parts;
    this.#timeouts = parts.timeouts ?? {
      headMs: LLM_HEAD_TIMEOUT_MS,
      idleMs: LLM_IDLE_TIMEOUT_MS,
    };
  }

  stateOf(baseUrl: string): ProviderState {
    return this.#states.get(baseUrl) ?? NOT_ASKED;
  }

  /**
   * Rejects with `llm_request_refused`, `llm_busy`, `llm_unavailable`, `llm_misconfigured`, or the
   * reason of the signal.
   */
  async send(request: ProviderRequest): Promise<OpenAnswer> {
    const { protocol, baseUrl, apiKey, path, body, headers, signal } = request;
    const watch = new Watch(signal, this.#timeouts.headMs);
    try {
      const answer = await this.#parts.transport(`${baseUrl}/${path}`, {
        headers: {
          ...adapterOf(protocol).headers(apiKey, headers),
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
        signal: watch.signal,
      });
      if (answer.status !== 200) throw await this.#failure(answer, request);
      watch.restart(this.#timeouts.idleMs);
      const { contentType } = answer;
      return { contentType, chunks: this.#chunks(answer, watch, signal) };
    } catch (error) {
      watch.stop();
      signal.throwIfAborted();
      if (error instanceof Problem) throw error;
      throw watch.isLate ? tooLate() : unreachable(error);
    }
  }

  /** Records a failure that was found in an answer; returns the problem. */
  failed(problem: Problem, baseUrl: string): Problem {
    // A refused request is the fault of the request, not of the provider.
    if (problem.code !== 'llm_request_refused') {
      const lastErrorAt = this.#parts.clock.now();
      const lastError = faultWords(problem);
      this.#note(baseUrl, { lastErrorAt, isFailing: true, lastError });
    }
    return problem;
  }

  /** Records that a whole answer has arrived. */
  answered(baseUrl: string): void {
    this.#note(baseUrl, { lastAnswerAt: this.#parts.clock.now(), isFailing: false });
  }

  #note(baseUrl: string, news: Partial<ProviderState>): void {
    this.#states.set(baseUrl, { ...this.stateOf(baseUrl), ...news });
  }

  async #failure(
    { status, retryAfter, body }: TransportAnswer,
    { apiKey }: ProviderRequest,
  ): Promise<Problem> {
    const text = (await textWithin(body, LLM_FAILURE_BYTES_MAX)) ?? '';
    return problemOfAnswer({ status, retryAfter, text }, apiKey, this.#parts.clock.now());
  }

  async *#chunks(
    { body }: TransportAnswer,
    watch: Watch,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of body) {
        watch.pause();
        yield chunk;
        watch.resume();
      }
    } catch (error) {
      signal.throwIfAborted();
      throw watch.isLate ? tooLate() : brokenOff(error);
    } finally {
      watch.stop();
    }
  }
}

/**
 * Aborts a request when the provider takes too long. The time that the reader takes is not counted.
 */
class Watch {
  readonly signal: AbortSignal;
  readonly #late = new AbortController();
  #timer: NodeJS.Timeout;
  #isPaused = false;

  constructor(signal: AbortSignal, ms: number) {
    this.signal = AbortSignal.any([signal, this.#late.signal]);
    this.#timer = this.#start(ms);
  }

  restart(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start(ms);
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#timer.refresh();
  }

  get isLate(): boolean {
    return this.#late.signal.aborted;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      if (!this.#isPaused) this.#late.abort();
    }, ms);
  }
}
