import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type { Area } from '@trellis/contract/operation.ts';
import type { FastifyRequest } from 'fastify';
import {
  ANSWER_COMPRESSED_BYTES_MIN,
  ANSWERS_COMPRESSED_AT_ONCE_MAX,
  ANSWERS_COMPRESSED_IN_SLICES_MAX,
} from '#base/limits.ts';
import { acceptedEncodings } from './front-end/compressed-files.ts';

const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?json\b)/;
const compress = promisify(gzip);
/** The next levels take twice the time and more, for answers that are sent once. */
const OPTIONS = { level: constants.Z_BEST_SPEED } as const;

/**
 * Their answers have tokens and keys, or repeat what an identity provider sent. The size of a
 * compressed answer tells whether what is asked for stands in it too (BREACH); so these are sent as
 * they are.
 */
const WITH_SECRETS: ReadonlySet<Area> = new Set(['login', 'sso', 'tokens', 'webhooks']);

/**
 * Compresses texts of answers, on the threads of zlib. These also check passwords and read files:
 * what comes while enough answers are being compressed is sent as it is. Streams of the routes,
 * such as events and downloads, never come here.
 */
export class CompressedAnswers {
  #atOnce = 0;
  #inSlices = 0;

  /**
   * Whether the answer has a compressed form, so that it depends on the header `Accept-Encoding`.
   */
  hasForm(request: FastifyRequest, contentType: unknown, text: string): boolean {
    if (text.length < ANSWER_COMPRESSED_BYTES_MIN) return false;
    const { operation } = request.routeOptions.config;
    if (operation === undefined || WITH_SECRETS.has(operation.area)) return false;
    return typeof contentType === 'string' && TEXT.test(contentType);
  }

  /** Whether the client takes the compressed form. */
  isWanted({ headers }: FastifyRequest): boolean {
    const accepted = headers['accept-encoding'];
    return accepted !== undefined && acceptedEncodings(accepted).includes('gzip');
  }

  /** The whole text; undefined while too many others are compressed. */
  atOnce(text: string): Promise<Buffer> | undefined {
    if (this.#atOnce >= ANSWERS_COMPRESSED_AT_ONCE_MAX) return undefined;
    this.#atOnce++;
    return compress(text, OPTIONS).finally(() => this.#atOnce--);
  }

  /** What the source gives, as it is read; undefined while too many others are compressed. */
  inSlices(source: Readable): Readable | undefined {
    if (this.#inSlices >= ANSWERS_COMPRESSED_IN_SLICES_MAX) return undefined;
    this.#inSlices++;
    const compressed = createGzip(OPTIONS);
    // Whoever reads it hears of an error, which here means that the client has gone.
    pipeline(source, compressed, () => undefined);
    compressed.once('close', () => this.#inSlices--);
    return compressed;
  }
}

/** The header `Vary` of an answer that has a compressed form, beside what it says already. */
export function varyWith(vary: unknown): string {
  const said = [vary].flat().filter((one) => typeof one === 'string' && one !== '');
  return [...said, 'accept-encoding'].join(', ');
}
