import type { FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';
import { GZIP_EXPANSION_RATIO_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { JSON_BODY_BYTES_MAX } from '@trellis/contract/limits.ts';
import type { BodyHold } from './body/body-budget.ts';
import { bodyTooLarge } from './error-answer.ts';

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

/** The whole body, counted in `hold`. Throws `body_too_large`, `bodies_in_flight`. */
export async function wholeBody(
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
  hold: BodyHold,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw bodyTooLarge(bytesMax);
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
