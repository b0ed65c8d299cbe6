import {
  EMBEDDING_QUERIES_KEPT_BYTES_MAX,
  EMBEDDING_QUERIES_RUNNING_MAX,
  EMBEDDING_QUERY_CHARACTERS_MAX,
  EMBEDDING_QUERY_TIMEOUT_MS,
} from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';
import { EmbeddingFailure, type TextVectors } from './embed-texts.ts';
import { embeddingKey } from './embedding-record.ts';

export interface QueryVectorsParts {
  /** The provider; on a replica its primary. Rejects with `EmbeddingFailure`, a problem, or the signal's reason. */
  readonly ask: (text: string, model: string, signal: AbortSignal) => Promise<Float32Array>;
  readonly timeoutMs?: number;
  readonly runningMax?: number;
  readonly keptBytesMax?: number;
}

/**
 * The vectors of queries; those asked for lately are at hand. One request serves all who ask for the same at the same time, and
 * goes on when one of them leaves. Of a text that is too long the beginning counts. They are not looked up among the vectors of
 * nodes: how long that takes would tell whether a text exists.
 */
export class QueryVectors implements TextVectors, Disposable {
  readonly #parts: QueryVectorsParts;
  readonly #closing = new AbortController();
  readonly #running = new Map<string, Promise<Float32Array>>();
  /** By `embeddingKey`, the one that was used last at the end. */
  readonly #kept = new Map<string, Float32Array>();
  #keptBytes = 0;

  constructor(parts: QueryVectorsParts) {
    this.#parts = parts;
  }

  async of(text: string, model: string, signal: AbortSignal): Promise<Float32Array> {
    signal.throwIfAborted();
    const asked = text.slice(0, EMBEDDING_QUERY_CHARACTERS_MAX).toWellFormed();
    const key = embeddingKey(model, asked);
    const found = this.#find(key);
    if (found !== undefined) return found;
    const running = this.#running.get(key) ?? this.#begin(key, asked, model);
    return unlessAborted(running, signal);
  }

  [Symbol.dispose](): void {
    this.#closing.abort(unavailable('The server stops.'));
  }

  #find(key: string): Float32Array | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept;
  }

  #begin(key: string, text: string, model: string): Promise<Float32Array> {
    const { runningMax = EMBEDDING_QUERIES_RUNNING_MAX } = this.#parts;
    if (this.#running.size >= runningMax) {
      throw unavailable('Too many queries wait for their vector.');
    }
    const running = this.#ask(text, model).then((vector) => {
      this.#keep(key, vector);
      return vector;
    });
    this.#running.set(key, running);
    const ended = (): void => void this.#running.delete(key);
    running.then(ended, ended);
    return running;
  }

  async #ask(text: string, model: string): Promise<Float32Array> {
    const { ask, timeoutMs = EMBEDDING_QUERY_TIMEOUT_MS } = this.#parts;
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([this.#closing.signal, deadline]);
    try {
      return await unlessAborted(ask(text, model, signal), signal);
    } catch (error) {
      if (error instanceof Problem) throw error;
      if (error instanceof EmbeddingFailure) throw problemOf(error);
      if (!deadline.aborted) throw error;
      throw unavailable('The vector of the query took too long.', { cause: error });
    }
  }

  #keep(key: string, vector: Float32Array): void {
    const { keptBytesMax = EMBEDDING_QUERIES_KEPT_BYTES_MAX } = this.#parts;
    const before = this.#kept.get(key);
    if (before !== undefined) this.#keptBytes -= bytesOf(before);
    this.#kept.delete(key);
    this.#kept.set(key, vector);
    this.#keptBytes += bytesOf(vector);
    for (const [oldest, old] of this.#kept) {
      if (this.#keptBytes <= keptBytesMax) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= bytesOf(old);
    }
  }
}

/** 503; what the provider said is not for everybody. */
export function unavailable(
  message: string,
  { retryAfterMs, cause }: { readonly retryAfterMs?: number | undefined; cause?: unknown } = {},
): Problem {
  return new Problem('embeddings_unavailable', message, {
    cause,
    ...(retryAfterMs === undefined
      ? {}
      : { details: { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) } }),
  });
}

function problemOf(failure: EmbeddingFailure): Problem {
  const { reason, retryAfterMs } = failure;
  switch (reason) {
    case 'not-configured':
      return new Problem('embeddings_not_configured', 'There is no provider of embeddings.');
    case 'refused':
      return unavailable('The provider of embeddings does not take the query.', { cause: failure });
    case 'misconfigured':
      return unavailable('The provider of embeddings is not set up as it should be.', {
        cause: failure,
      });
    case 'busy':
      return unavailable('The provider of embeddings does not answer for now.', {
        retryAfterMs,
        cause: failure,
      });
  }
}

/** Bytes of a vector that is kept, and of its entry. */
function bytesOf({ byteLength }: Float32Array): number {
  return byteLength + 200;
}

/** The promise goes on without who leaves. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: leaving, reject } = Promise.withResolvers<never>();
  const leave = (): void => reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  try {
    return await Promise.race([promise, leaving]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
