import {
  EMBEDDING_QUERIES_KEPT_BYTES_MAX,
  EMBEDDING_QUERIES_RUNNING_MAX,
  EMBEDDING_QUERY_CHARACTERS_MAX,
  EMBEDDING_QUERY_TIMEOUT_MS,
} from '#base/search-limits.ts';
import { Problem } from '#base/problem.ts';
import { unlessAborted } from '#base/unless-aborted.ts';
import { EmbeddingFailure, type TextVectors } from './embed-texts.ts';
import { embeddingKey, vectorText } from './embedding-record.ts';
import type { GraphReader } from '#graph/reader.ts';
import { readSearchRequest } from '../request/read-request.ts';
import type { Searcher } from '../service/searcher.ts';

export interface QueryVectorsParts {
  /**
   * Asks the provider, or on a replica the primary. Rejects with `EmbeddingFailure`, a problem, or
   * the signal's reason.
   */
  readonly ask: (text: string, model: string, signal: AbortSignal) => Promise<Float32Array>;
  readonly timeoutMs?: number;
  readonly runningMax?: number;
  readonly keptBytesMax?: number;
}

/**
 * Vectors of queries, the latest ones cached. Equal queries at the same time share one request,
 * which goes on when one of them leaves. A text that is too long counts by its beginning. Vectors
 * of nodes are not reused: the time saved would tell that a text exists.
 */
export class QueryVectors implements TextVectors, Disposable {
  readonly #parts: QueryVectorsParts;
  readonly #closing = new AbortController();
  readonly #running = new Map<string, Promise<Float32Array>>();
  /** By `embeddingKey`, last used at the end. */
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

/** 503, without the words of the provider: not everybody may read them. */
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

/** Bytes of a cached vector and its entry. */
function bytesOf({ byteLength }: Float32Array): number {
  return byteLength + 200;
}

interface QueryEmbeddingParts {
  readonly reader: GraphReader;
  readonly searcher: Pick<Searcher, 'modelsFor'>;
  readonly textVectors: TextVectors;
}

/**
 * The vectors of a request's text for each model in its scope, in base64, as `queryVectors` of a
 * search and `startAtVectors` of a query take them. `value` came from endpoint code. Rejects with
 * `invalid_request`, `index_opening`, and as `TextVectors`.
 */
export async function embedQuery(
  { reader, searcher, textVectors }: QueryEmbeddingParts,
  value: unknown,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const { query } = readSearchRequest(value);
  reader.refresh();
  const models = searcher.modelsFor(value);
  const vectors = await Promise.all(
    models.map(async (model): Promise<[string, string]> => {
      return [model, vectorText(await textVectors.of(query, model, signal))];
    }),
  );
  return Object.fromEntries(vectors);
}
