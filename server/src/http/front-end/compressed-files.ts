import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import {
  FRONT_END_COMPRESSED_BYTES_MIN,
  FRONT_END_COMPRESSION_AWAITED_BYTES_MAX,
} from '#base/limits.ts';

const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** Bytes as they are sent; `encoding` is null when they are not compressed. */
export interface SentBytes {
  readonly bytes: Buffer;
  readonly encoding: Encoding | null;
}

/** Content to compress. The same object always has the same bytes. */
interface Content {
  readonly bytes: Buffer;
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** The next step, 10, takes eight times as long for a size that is 6 % less. */
const BROTLI_QUALITY = 9;

/**
 * Compressed forms of files. Each is made once, when it is first asked for, on the threads of zlib.
 * A small file waits for its form; a large one is sent uncompressed until its form is there. Large
 * files are compressed one after the other, since those threads also check passwords and read
 * files.
 */
export class CompressedFiles {
  /** The promised form of each file; null where compression gains nothing. */
  readonly #forms: Record<Encoding, WeakMap<Content, Promise<Buffer | null>>> = {
    br: new WeakMap(),
    gzip: new WeakMap(),
  };
  readonly #made: Record<Encoding, WeakMap<Content, Buffer | null>> = {
    br: new WeakMap(),
    gzip: new WeakMap(),
  };
  #lastLarge: Promise<unknown> = Promise.resolve();

  /** The bytes in the encoding, if there is a form in it. The promise never rejects. */
  send(content: Content, encoding: Encoding | undefined): SentBytes | Promise<SentBytes> {
    const { bytes } = content;
    const plain = { bytes, encoding: null };
    if (encoding === undefined || bytes.length < FRONT_END_COMPRESSED_BYTES_MIN) return plain;
    const made = this.#made[encoding].get(content);
    if (made !== undefined) return made === null ? plain : { bytes: made, encoding };
    const form = this.#form(content, encoding);
    if (bytes.length > FRONT_END_COMPRESSION_AWAITED_BYTES_MAX) return plain;
    return form.then((compressed) =>
      compressed === null ? plain : { bytes: compressed, encoding },
    );
  }

  #form(content: Content, encoding: Encoding): Promise<Buffer | null> {
    const forms = this.#forms[encoding];
    let form = forms.get(content);
    if (form === undefined) {
      form = this.#make(content, encoding);
      forms.set(content, form);
    }
    return form;
  }

  async #make(content: Content, encoding: Encoding): Promise<Buffer | null> {
    const { bytes } = content;
    const work = (): Promise<Buffer> => compress(bytes, encoding);
    const isLarge = bytes.length > FRONT_END_COMPRESSION_AWAITED_BYTES_MAX;
    const compressing = isLarge ? this.#lastLarge.then(work) : work();
    // When compression fails, such as for lack of memory, the file is sent uncompressed.
    const compressed = compressing.catch(() => bytes);
    if (isLarge) this.#lastLarge = compressed;
    const form = await compressed;
    const made = form.length < bytes.length ? form : null;
    this.#made[encoding].set(content, made);
    return made;
  }
}

function compress(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  if (encoding === 'gzip') return compressGzip(bytes, { level: constants.Z_BEST_COMPRESSION });
  return compressBrotli(bytes, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    },
  });
}

/**
 * The encodings that the header `Accept-Encoding` accepts, best first (RFC 9110, section 12.5.3):
 * ordered by its weights, and then by our preference.
 */
export function acceptedEncodings(header: string | undefined): Encoding[] {
  const weights = new Map<string, number>();
  for (const part of (header ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (encoding: Encoding): number => weights.get(encoding) ?? weights.get('*') ?? 0;
  return ENCODINGS.filter((encoding) => weightOf(encoding) > 0).toSorted(
    (a, b) => weightOf(b) - weightOf(a),
  );
}
