import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import { bodyTooLarge } from '../error-answer.ts';
import type { Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { GZIP_EXPANSION_RATIO_MAX } from '#base/limits.ts';
import { JSON_BODY_BYTES_MAX } from '@trellis/contract/limits.ts';

export interface BodyBudgetLimits {
  readonly bytesMax: number;
  readonly addressBytesMax: number;
}

/** A limit for the bodies of many requests together: those of one address, and all of them. */
export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #byAddress = new Map<string, number>();
  #bytes = 0;

  constructor(limits: BodyBudgetLimits) {
    this.#limits = limits;
  }

  /** Bytes that all addresses hold now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Addresses that hold something now. */
  get addresses(): number {
    return this.#byAddress.size;
  }

  /** Throws `bodies_in_flight`, and then holds no more than before. */
  take(address: string, bytes: number): void {
    const { bytesMax, addressBytesMax } = this.#limits;
    const own = (this.#byAddress.get(address) ?? 0) + bytes;
    if (own > addressBytesMax) throw full('of this address', addressBytesMax);
    if (this.#bytes + bytes > bytesMax) throw full('of all callers', bytesMax);
    this.#byAddress.set(address, own);
    this.#bytes += bytes;
  }

  give(address: string, bytes: number): void {
    this.#bytes -= bytes;
    const own = (this.#byAddress.get(address) ?? 0) - bytes;
    if (own > 0) this.#byAddress.set(address, own);
    else this.#byAddress.delete(address);
  }
}

/** The bytes that one request holds, until it is released. */
export class BodyHold {
  readonly #budget: BodyBudget;
  readonly #address: string;
  #bytes = 0;
  #isReleased = false;

  constructor(budget: BodyBudget, address: string) {
    this.#budget = budget;
    this.#address = address;
  }

  /** Throws `bodies_in_flight`. */
  add(bytes: number): void {
    // The connection is gone: nothing more of the request is read.
    if (this.#isReleased) return;
    this.#budget.take(this.#address, bytes);
    this.#bytes += bytes;
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#budget.give(this.#address, this.#bytes);
  }
}

function full(whose: string, limitBytes: number): Problem {
  return new Problem(
    'bodies_in_flight',
    `The requests ${whose} that are not answered yet hold ${limitBytes} bytes of bodies.`,
    { details: { limitBytes } },
  );
}

export interface BodyTerms {
  readonly bytesMax: number;
  /** The time for the whole body; null when the time of the request is enough. */
  readonly timeoutMs: number | null;
}

/**
 * Reads the whole body. What has arrived is counted in `hold`, also after this call. Calls back
 * once. It is an error when the body is too large (by its headers or by its bytes), when it takes
 * too long, or when the budget is used up; what still arrives then is thrown away. It uses events
 * instead of promises, because every call passes here.
 */
export function readBody(
  { raw, headers }: FastifyRequest,
  hold: BodyHold,
  { bytesMax, timeoutMs }: BodyTerms,
  done: (error: Error | null, body: Uint8Array) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  const finish = (error: Error | null, body: Uint8Array): void => {
    clearTimeout(timer);
    raw.off('data', onData).off('end', onEnd).off('error', onError);
    done(error, body);
  };
  const onError = (error: unknown): void => {
    finish(error instanceof Error ? error : new Error('no error', { cause: error }), NOTHING);
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      finish(bodyTooLarge(bytesMax), NOTHING);
      return;
    }
    try {
      hold.add(chunk.length);
    } catch (error) {
      onError(error);
      return;
    }
    chunks.push(chunk);
  };
  const onEnd = (): void => {
    const [only] = chunks;
    finish(null, only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, bytes));
  };
  if (saysTooMuch(headers, bytesMax)) {
    done(bodyTooLarge(bytesMax), NOTHING);
    return;
  }
  if (timeoutMs !== null) {
    timer = setTimeout(() => {
      onError(new Problem('request_timeout', 'The body did not arrive in time.'));
    }, timeoutMs);
  }
  raw.on('data', onData).on('end', onEnd).on('error', onError);
}

/** Whether a body is too large by its headers, compressed or not. */
function saysTooMuch(headers: FastifyRequest['headers'], bytesMax: number): boolean {
  return Number(headers['content-length'] ?? 0) > bytesMax;
}

const NOTHING = new Uint8Array(0);

export type JsonReader = (request: FastifyRequest, text: string) => unknown;

/**
 * Reads JSON that does not try to reach into prototypes; an empty body is undefined. Throws
 * `malformed_json`.
 */
export function jsonReader(app: FastifyInstance): JsonReader {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (request, text) => {
    if (text === '') return undefined;
    let outcome: { error: Error | null; value: unknown } | undefined;
    // Despite its callback it is synchronous.
    void parse(request, text, (error, value: unknown) => {
      outcome = { error, value };
    });
    if (outcome === undefined || outcome.error !== null) {
      throw new Problem('malformed_json', 'The body is not valid JSON.', { cause: outcome?.error });
    }
    return outcome.value;
  };
}

/**
 * The bytes of a body as they arrive, decompressed, one chunk at a time. The next chunk is read
 * when the last one has been handled, so a slow reader slows the sender down. A sender that is
 * silent for `idleMs` is cut off. The request itself is never destroyed here: its connection still
 * has to carry the answer.
 */
export async function* bodyStream(
  request: FastifyRequest,
  idleMs: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const gunzip = isCompressed(request) ? unpack(request.raw) : undefined;
  const source: Readable = gunzip ?? request.raw;
  const chunks = source.iterator({ destroyOnReturn: false });
  let bytes = 0;
  try {
    for (;;) {
      const next = await inTime(chunks.next(), idleMs);
      if (next.done === true) return;
      const chunk: Uint8Array = next.value;
      bytes += chunk.length;
      if (gunzip !== undefined) refuseBomb(bytes, gunzip.bytesWritten);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
      throw new Problem('malformed_encoding', 'The body is not a whole gzip stream.', {
        cause: error,
      });
    }
    throw error;
  } finally {
    // Not awaited: after a silence the pending read never ends.
    void chunks.return?.();
    gunzip?.destroy();
  }
}

function isCompressed({ headers }: FastifyRequest): boolean {
  return headers['content-encoding']?.toLowerCase() === 'gzip';
}

/**
 * The whole body, decompressed and counted in `hold`. Throws `bodies_in_flight`, and the problem
 * `tooLarge` by the headers or by the bytes.
 */
export async function wholeBody(
  request: FastifyRequest,
  idleMs: number,
  hold: BodyHold,
  bytesMax: number,
  tooLarge: () => Problem = () => bodyTooLarge(bytesMax),
): Promise<Uint8Array> {
  if (saysTooMuch(request.headers, bytesMax)) throw tooLarge();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of bodyStream(request, idleMs)) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw tooLarge();
    hold.add(chunk.length);
    parts.push(chunk);
  }
  return Buffer.concat(parts, bytes);
}

function unpack(raw: FastifyRequest['raw']): Gunzip {
  const gunzip = createGunzip();
  raw.once('close', () => {
    if (!raw.complete) gunzip.destroy(new Error('the client went away'));
  });
  return raw.pipe(gunzip);
}

/** Refuses a few bytes that unpack to very many. */
function refuseBomb(bytes: number, packedBytes: number): void {
  if (bytes <= JSON_BODY_BYTES_MAX || bytes <= packedBytes * GZIP_EXPANSION_RATIO_MAX) return;
  throw new Problem(
    'body_too_large',
    `The body unpacks to more than ${GZIP_EXPANSION_RATIO_MAX} times its size.`,
    { details: { limitBytes: packedBytes * GZIP_EXPANSION_RATIO_MAX } },
  );
}

async function inTime<T>(promise: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new Problem('request_timeout', 'The body stopped arriving.'));
  }, ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
