import { TrellisError } from './trellis-error.ts';

export interface TransportOptions {
  /** Where the service is, such as `https://graph.example.org`; a path before `/api` is kept. */
  readonly baseUrl: string | URL;
  /** Of any kind: a session, an API token. Sent as a bearer token, to `baseUrl` and to a primary that it redirects to. */
  readonly token?: string | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Ask every answer to reflect this client's last write, also where a replica gives it. */
  readonly readYourWrites?: boolean | undefined;
  readonly retry?: Partial<RetryLimits> | undefined;
}

export interface RetryLimits {
  /** Tries beyond the first. */
  readonly retriesMax: number;
  /** Before the first retry; doubled for each further one. */
  readonly pauseMs: number;
  /** A `Retry-After` beyond this is not waited for. */
  readonly retryAfterMsMax: number;
}

const RETRY_DEFAULTS: RetryLimits = { retriesMax: 4, pauseMs: 250, retryAfterMsMax: 15_000 };
const REDIRECTS_MAX = 5;

/** What every method of the client takes last. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** An answer with its body read. */
export interface Answer {
  readonly response: Response;
  readonly text: string;
}

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, number | string | undefined>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A stream can be sent once only, so a call with one is never repeated. */
  readonly body?: string | ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /** Statuses from 400 up that are answers to this call and not refusals. */
  readonly answers?: readonly number[] | undefined;
  /** Leave the body of a good answer to be read as it arrives; its text is empty then. */
  readonly streams?: boolean | undefined;
}

/** Sends calls: headers, retries where they are safe, and the sequence of the last write. */
export class Transport {
  token: string | undefined;
  /** The highest `X-MSK-Sequence` that a write of this client was answered with; 0 before the first. */
  lastWriteSequence = 0;
  readonly retry: RetryLimits;
  readonly #base: URL;
  readonly #fetch: typeof globalThis.fetch;
  readonly #readYourWrites: boolean;

  constructor(options: TransportOptions) {
    this.#base = new URL(options.baseUrl);
    if (!this.#base.pathname.endsWith('/')) this.#base.pathname += '/';
    this.token = options.token;
    // Called as a plain function: in browsers `fetch` refuses another `this` than the window.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.#readYourWrites = options.readYourWrites ?? false;
    this.retry = { ...RETRY_DEFAULTS, ...options.retry };
  }

  /** Throws a `TrellisError` when the service refuses or does not answer, or the signal's reason when it was aborted. */
  async send(call: Call): Promise<Answer> {
    for (let retries = 0; ; retries++) {
      const { answer, failure } = await this.#attempt(call);
      if (failure === undefined) {
        this.#remember(call, answer.response);
        return answer;
      }
      const pauseMs = this.#pauseMs(call, answer?.response, retries);
      if (pauseMs === null) throw failure;
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

  /** One try, through the redirects by which a replica sends a write to its primary (specification, section 7). */
  async #attempt(call: Call): Promise<Outcome> {
    let url = new URL(call.path.replace(/^\//, ''), this.#base);
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    for (let redirects = 0; ; redirects++) {
      const outcome = await this.#fetchOnce(url, call);
      const primary = redirects < REDIRECTS_MAX ? primaryOf(call, url, outcome.answer) : undefined;
      if (primary === undefined) return outcome;
      url = primary;
    }
  }

  async #fetchOnce(url: URL, call: Call): Promise<Outcome> {
    const init: RequestInit & { duplex?: 'half' } = {
      method: call.method,
      headers: this.#headers(call),
      redirect: 'manual',
      signal: call.signal ?? null,
    };
    if (call.body !== undefined) init.body = call.body;
    if (call.body instanceof ReadableStream) init.duplex = 'half';
    try {
      const response = await this.#fetch(url, init);
      const isLeft = call.streams === true && response.ok;
      return judge(call, { response, text: isLeft ? '' : await response.text() });
    } catch (cause) {
      call.signal?.throwIfAborted();
      return { failure: TrellisError.connectionFailed(url, cause) };
    }
  }

  #headers(call: Call): Headers {
    const headers = new Headers({ accept: 'application/json' });
    if (typeof call.body === 'string') headers.set('content-type', 'application/json');
    if (this.token !== undefined) headers.set('authorization', `Bearer ${this.token}`);
    if (this.#readYourWrites && this.lastWriteSequence > 0) {
      headers.set('x-msk-min-sequence', String(this.lastWriteSequence));
    }
    for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value);
    return headers;
  }

  #remember(call: Call, response: Response): void {
    if (call.method === 'GET') return;
    const sequence = Number(response.headers.get('x-msk-sequence') ?? 0);
    if (sequence > this.lastWriteSequence) this.lastWriteSequence = sequence;
  }

  /**
   * How long to wait before the next try; null when there must be none. Reading twice does no harm. A write is repeated only
   * when the server itself says that it did nothing and when to ask again: 429 or 503 with `Retry-After`.
   */
  #pauseMs(call: Call, response: Response | undefined, retries: number): number | null {
    if (call.body instanceof ReadableStream || retries >= this.retry.retriesMax) return null;
    const backoffMs = this.retry.pauseMs * 2 ** retries;
    if (response === undefined) return call.method === 'GET' ? backoffMs : null;
    const { status } = response;
    const retryAfter = response.headers.get('retry-after');
    if ((status === 429 || status === 503) && retryAfter !== null) {
      const retryAfterMs = parseRetryAfterMs(retryAfter);
      return retryAfterMs <= this.retry.retryAfterMsMax ? retryAfterMs : null;
    }
    return call.method === 'GET' && [502, 503, 504].includes(status) ? backoffMs : null;
  }
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

/** Where a replica sends this very call. An endpoint's own redirect leads elsewhere, and the token does not follow it. */
function primaryOf(call: Call, url: URL, answer: Answer | undefined): URL | undefined {
  const location = answer?.response.headers.get('location');
  if (answer?.response.status !== 303 || location === null || location === undefined)
    return undefined;
  if (call.body instanceof ReadableStream) return undefined;
  const target = new URL(location, url);
  return target.pathname.endsWith(call.path) ? target : undefined;
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
