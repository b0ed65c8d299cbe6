import { type ReplicaList, Routing, type RoutingFlags, sendsToPrimary } from './routing.ts';
import type { Server } from './routing-replicas.ts';
import type { RoutingClock } from './server-health.ts';
import { TrellisError } from './trellis-error.ts';

export interface TransportOptions {
  /**
   * Where the service, and with replicas its primary, is, such as `https://graph.example.org`; a
   * path before `/api` is kept.
   */
  readonly baseUrl: string | URL;
  /** Replicas of it, to share reads with (docs/sdk.md). */
  readonly replicas?: ReplicaList | undefined;
  /**
   * A token of any kind: a session, an API token. It is sent as a bearer token, only to `baseUrl`
   * and to healthy replicas.
   */
  readonly token?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /**
   * Ask every answer to reflect this client's last write. Without it only the replicas of the list
   * are asked to, which is enough when `baseUrl` is the primary itself.
   */
  readonly readYourWrites?: boolean | undefined;
  readonly retry?: Partial<RetryLimits> | undefined;
  /** What the checks of replicas go by; the time of the system when not given. */
  readonly clock?: RoutingClock | undefined;
  /** From 0 to 1, as `Math.random`, which it is when not given: spreads repeated calls. */
  readonly random?: (() => number) | undefined;
}

export interface RetryLimits {
  /** Tries beyond the first. */
  readonly retriesMax: number;
  /**
   * Before the first retry, at most; doubled for each further one. At least half of it is waited
   * for: how much more is random, so that clients that failed together do not come back together.
   */
  readonly pauseMs: number;
  /**
   * A `Retry-After` beyond this is not waited for. As long in all while no member is the primary.
   */
  readonly retryAfterMsMax: number;
}

const RETRY_DEFAULTS: RetryLimits = { retriesMax: 4, pauseMs: 250, retryAfterMsMax: 15_000 };
const SYSTEM_CLOCK: RoutingClock = {
  now: () => performance.now(),
  timeout: (ms) => AbortSignal.timeout(ms),
};

/** What every method of the client takes last. */
export interface CallOptions extends RoutingFlags {
  readonly signal?: AbortSignal | undefined;
}

/** An answer with its body read. */
export interface Answer {
  readonly response: Response;
  readonly text: string;
  /** The server that gave it. */
  readonly server: Server;
}

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** A list is sent as its items with "," between them. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A stream can be sent once only, so a call with one is never repeated. */
  readonly body?: string | Blob | FormData | ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /** Statuses from 400 up that are answers to this call and not refusals. */
  readonly answers?: readonly number[] | undefined;
  /** Not to be repeated, also when the server asks for that: it may have kept something of it. */
  readonly once?: boolean | undefined;
  /** Leave the body of a good answer to be read as it arrives; its text is empty then. */
  readonly streams?: boolean | undefined;
  /** Whether a replica answers as well as the primary does; repeating such a call does no harm. */
  readonly isServedByReplicas?: boolean | undefined;
  /** The one server that can answer, when it is known from an earlier answer. */
  readonly server?: Server | undefined;
}

/**
 * Sends calls: headers, retries where they are safe, and the sequence of the last write; `Routing`
 * says to which server.
 */
export class Transport {
  token: string | undefined;
  /**
   * The highest `X-MSK-Sequence` that a write of this client was answered with; 0 before the first.
   */
  lastWriteSequence = 0;
  readonly retry: RetryLimits;
  /** With a slash at its end. */
  readonly baseUrl: URL;
  readonly routing: Routing;
  readonly #fetch: typeof globalThis.fetch;
  readonly #readYourWrites: boolean | undefined;
  readonly #random: () => number;

  constructor(options: TransportOptions) {
    const base = new URL(options.baseUrl);
    if (!base.pathname.endsWith('/')) base.pathname += '/';
    this.token = options.token;
    this.baseUrl = base;
    // Called as a plain function: in browsers `fetch` refuses another `this` than the window.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#readYourWrites = options.readYourWrites;
    this.#random = options.random ?? Math.random;
    this.retry = { ...RETRY_DEFAULTS, ...options.retry };
    this.routing = new Routing(base, this.#fetch, options.clock ?? SYSTEM_CLOCK);
    if (options.replicas !== undefined) this.routing.setReplicas(options.replicas);
  }

  /**
   * Throws a `TrellisError` when the service refuses or does not answer, or the signal's reason
   * when it was aborted.
   */
  async send(call: Call): Promise<Answer> {
    let retries = 0;
    let leaderlessMs = 0;
    for (;;) {
      const outcome = await this.routing.send<Outcome>(call, (server, signal) =>
        this.#ask(server, call, signal),
      );
      const { answer, failure } = outcome;
      if (failure === undefined) {
        this.#remember(call, answer);
        return answer;
      }
      const isWaiting = isLeaderless(outcome, this.routing.mayMove);
      const pauseMs = isWaiting
        ? this.#leaderlessPauseMs(call, answer?.response, leaderlessMs)
        : this.#pauseMs(call, answer?.response, retries++);
      if (pauseMs === null) throw failure;
      if (isWaiting) leaderlessMs += pauseMs;
      await pause(pauseMs, call.signal);
    }
  }

  /** The answer as JSON. */
  async json<T>(call: Call): Promise<T> {
    const { response, text } = await this.send(call);
    try {
      return JSON.parse(text) as T;
    } catch {
      throw TrellisError.unexpectedAnswer(response, text);
    }
  }

  /** The bytes of the answer as they arrive. */
  async bytes(call: Call): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
    const { response } = await this.send({ ...call, streams: true });
    return response.body ?? new Blob([]).stream();
  }

  /**
   * One request. A redirect is not followed: what an endpoint answers is up to its author, and the
   * token must not go there with it.
   */
  async #ask(server: Server, call: Call, signal: AbortSignal | undefined): Promise<Outcome> {
    const url = new URL(call.path.replace(/^\//, ''), server.url);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const init: RequestInit & { duplex?: 'half' } = {
      method: call.method,
      headers: this.#headers(call, server),
      redirect: 'manual',
      signal: signal ?? null,
    };
    if (call.body !== undefined) init.body = call.body;
    if (call.body instanceof ReadableStream) init.duplex = 'half';
    try {
      const response = await this.#fetch(url, init);
      const isLeft = call.streams === true && response.ok;
      return judge(call, { response, text: isLeft ? '' : await response.text(), server });
    } catch (cause) {
      call.signal?.throwIfAborted();
      return { failure: TrellisError.connectionFailed(url, cause) };
    }
  }

  #headers(call: Call, server: Server): Headers {
    const headers = new Headers({ accept: 'application/json' });
    if (typeof call.body === 'string') headers.set('content-type', 'application/json');
    if (this.token !== undefined) headers.set('authorization', `Bearer ${this.token}`);
    const readsItsWrites = this.#readYourWrites ?? server.role === 'replica';
    if (readsItsWrites && this.lastWriteSequence > 0) {
      headers.set('x-msk-min-sequence', String(this.lastWriteSequence));
    }
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value);
    return headers;
  }

  #remember(call: Call, { response, server }: Answer): void {
    if (call.method === 'GET' || server.role === 'replica') return;
    const sequence = Number(response.headers.get('x-msk-sequence') ?? 0);
    if (sequence > this.lastWriteSequence) this.lastWriteSequence = sequence;
  }

  /**
   * How long to wait before the next try; null when there must be none. Reading twice does no harm.
   * A write is repeated only when the server itself says that it did nothing and when to ask again:
   * 429 or 503 with `Retry-After`.
   */
  #pauseMs(call: Call, response: Response | undefined, retries: number): number | null {
    if (isOnce(call) || retries >= this.retry.retriesMax) return null;
    const backoffMs = this.retry.pauseMs * 2 ** retries * (0.5 + this.#random() / 2);
    if (response === undefined) return call.method === 'GET' ? backoffMs : null;
    const { status } = response;
    const retryAfter = response.headers.get('retry-after');
    if ((status === 429 || status === 503) && retryAfter !== null) {
      const retryAfterMs = parseRetryAfterMs(retryAfter);
      if (retryAfterMs > this.retry.retryAfterMsMax) return null;
      return retryAfterMs + this.#random() * this.retry.pauseMs;
    }
    return call.method === 'GET' && [502, 503, 504].includes(status) ? backoffMs : null;
  }

  /**
   * As `#pauseMs`, while no member is the primary: another one takes over within seconds, so it is
   * not a matter of how often.
   */
  #leaderlessPauseMs(call: Call, response: Response | undefined, sofarMs: number): number | null {
    const { retriesMax, retryAfterMsMax, pauseMs } = this.retry;
    if (isOnce(call) || retriesMax === 0) return null;
    const retryAfter = response?.headers.get('retry-after') ?? null;
    const askedMs = retryAfter === null ? 2 * pauseMs : parseRetryAfterMs(retryAfter);
    const nextMs = askedMs + this.#random() * pauseMs;
    return sofarMs + nextMs <= retryAfterMsMax ? nextMs : null;
  }
}

function isOnce({ once, body }: Call): boolean {
  return once === true || body instanceof ReadableStream;
}

/** A member refused, and knows no primary that lives, or is about to be it. */
function isLeaderless(outcome: Outcome, areSeveral: boolean): boolean {
  const { answer, failure } = outcome;
  if (failure?.code === 'no_primary') return true;
  if (failure?.code === 'not_ready' && areSeveral) return true;
  return answer?.server.role === 'replica' && sendsToPrimary(outcome);
}

type Outcome =
  | { readonly answer: Answer; readonly failure?: undefined }
  | { readonly answer?: Answer; readonly failure: TrellisError };

/** An error body is a refusal, whatever the status of the answer is taken for. */
function judge(call: Call, answer: Answer): Outcome {
  const { response, text } = answer;
  if (response.ok) return { answer };
  const refusal = TrellisError.fromBody(response, text);
  if (refusal !== undefined) return { answer, failure: refusal };
  if (call.answers?.includes(response.status) === true) return { answer };
  return { answer, failure: TrellisError.unexpectedAnswer(response, text) };
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function parseRetryAfterMs(value: string): number {
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? Infinity : Math.max(0, date - Date.now());
}

/** Resolves after the time, or rejects with the signal's reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Where the service takes WebSockets (open-shapes, section 8); `baseUrl` has a slash at its end.
 */
export function webSocketUrl(baseUrl: URL): URL {
  const url = new URL('api/ws', baseUrl);
  url.protocol = baseUrl.protocol === 'https:' ? 'wss:' : 'ws:';
  return url;
}
