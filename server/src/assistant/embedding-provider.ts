import type { Clock } from '#base/clock.ts';
import {
  EMBEDDING_ANSWER_BYTES_MAX,
  EMBEDDING_TIMEOUT_MS,
  VECTOR_DIMENSIONS_MAX,
} from '#base/search-limits.ts';
import { boundedText, type Fetch, fetchFault } from '#base/outbound.ts';
import { EmbeddingFailure, type EmbedTexts } from '#search/embeddings/embed-texts.ts';
import { failureOf, type ProviderAnswer } from './router/provider-problem.ts';
import { vectorOf } from '#search/embeddings/embedding-record.ts';

export interface EmbeddingTarget {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Sent as a bearer token. */
  readonly apiKey: string | null;
}

export interface EmbeddingProviderParts {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** The address and key of the current settings; undefined when no provider is set. */
  readonly target: () => EmbeddingTarget | undefined;
  readonly timeoutMs?: number;
}

/** Asks any server that speaks OpenAI's protocol: `POST {baseUrl}/embeddings`. */
export class EmbeddingProvider implements EmbedTexts {
  readonly #parts: EmbeddingProviderParts;
  /** The address of a server that refuses `encoding_format`. */
  #withoutFormat: string | undefined;

  constructor(parts: EmbeddingProviderParts) {
    this.#parts = parts;
  }

  isConfigured(): boolean {
    return this.#parts.target() !== undefined;
  }

  async embed(
    texts: readonly string[],
    model: string,
    signal: AbortSignal,
  ): Promise<Float32Array[]> {
    const target = this.#parts.target();
    if (target === undefined) {
      throw new EmbeddingFailure('not-configured', 'no provider of embeddings is configured');
    }
    const body = { model, input: texts.map((text) => text.toWellFormed()) };
    let answer: ProviderAnswer | undefined;
    if (this.#withoutFormat !== target.baseUrl) {
      // Numbers in JSON are several times larger than base64, and parsing them blocks the
      // thread.
      answer = await this.#post(target, { ...body, encoding_format: 'base64' }, signal);
      if (isAboutFormat(answer)) {
        this.#withoutFormat = target.baseUrl;
        answer = undefined;
      }
    }
    answer ??= await this.#post(target, body, signal);
    if (answer.status !== 200) throw failureOf(answer, target.apiKey, this.#parts.clock.now());
    return readEmbeddings(answer.text, texts.length);
  }

  async #post(
    { baseUrl, apiKey }: EmbeddingTarget,
    body: object,
    signal: AbortSignal,
  ): Promise<ProviderAnswer> {
    const { fetch, timeoutMs = EMBEDDING_TIMEOUT_MS } = this.#parts;
    let text: string | undefined;
    let response: Response;
    try {
      response = await fetch(`${baseUrl}/embeddings`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify(body),
        // Key and texts go to this address only.
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      text = await boundedText(response, EMBEDDING_ANSWER_BYTES_MAX);
    } catch (cause) {
      signal.throwIfAborted();
      const message = `${new URL(baseUrl).origin} did not answer: ${fetchFault(cause)}`;
      throw new EmbeddingFailure('busy', message, { cause });
    }
    if (text === undefined) {
      const message = `the provider answers with more than ${EMBEDDING_ANSWER_BYTES_MAX} bytes`;
      throw new EmbeddingFailure('misconfigured', message);
    }
    return { status: response.status, retryAfter: response.headers.get('retry-after'), text };
  }
}

function isAboutFormat({ status, text }: ProviderAnswer): boolean {
  return (status === 400 || status === 422) && text.includes('encoding_format');
}

/**
 * Reads the vectors of an answer in the order of their `index`, which some servers leave out, and
 * scales each to length 1. Throws `EmbeddingFailure` unless there are `count` vectors with the same
 * dimensions, all finite and not zero.
 */
function readEmbeddings(text: string, count: number): Float32Array[] {
  const data = dataIn(text);
  if (data.length !== count) throw unusable(`${data.length} vectors for ${count} texts`);
  const vectors = Array.from<Float32Array | undefined>({ length: count });
  for (const [at, item] of data.entries()) {
    const { embedding, index = at }: { embedding?: unknown; index?: unknown } = Object(item);
    if (typeof index !== 'number' || !(index in vectors) || vectors[index] !== undefined) {
      throw unusable('a vector of no text');
    }
    vectors[index] = unitVector(embedding);
  }
  const whole = vectors.filter((vector) => vector !== undefined);
  const dimensions = whole[0]?.length ?? 0;
  if (whole.some(({ length }) => length !== dimensions)) {
    throw unusable('vectors of different dimensions');
  }
  return whole;
}

function dataIn(text: string): readonly unknown[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw unusable('something else than JSON', cause);
  }
  const { data }: { data?: unknown } = Object(answer);
  if (!Array.isArray(data)) throw unusable('no list of vectors');
  return data;
}

/** Reads Base64 of little-endian 32-bit floats, or a list of numbers. */
function unitVector(embedding: unknown): Float32Array {
  const vector =
    typeof embedding === 'string'
      ? vectorOf(embedding)
      : Float32Array.from(Array.isArray(embedding) ? embedding : []);
  if (vector.length === 0 || vector.length > VECTOR_DIMENSIONS_MAX) {
    throw unusable(`a vector of ${vector.length} dimensions`);
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length) || length === 0) throw unusable('a vector without a direction');
  for (let i = 0; i < vector.length; i++) vector[i] = vector[i]! / length;
  return vector;
}

function unusable(what: string, cause?: unknown): EmbeddingFailure {
  return new EmbeddingFailure('misconfigured', `the provider answers with ${what}`, { cause });
}
