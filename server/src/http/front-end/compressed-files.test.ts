import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FRONT_END_COMPRESSED_BYTES_MIN,
  FRONT_END_COMPRESSION_AWAITED_BYTES_MAX,
} from '#base/limits.ts';
import { acceptedEncodings, CompressedFiles } from './compressed-files.ts';

const textOf = (bytes: number) => ({ bytes: Buffer.alloc(bytes, 'let a = 1;\n') });
const SMALL = textOf(FRONT_END_COMPRESSION_AWAITED_BYTES_MAX);
const LARGE = textOf(FRONT_END_COMPRESSION_AWAITED_BYTES_MAX + 1);

describe('a file', () => {
  it('that is small is compressed before it is sent, once', async () => {
    const files = new CompressedFiles();
    for (const [encoding, decompress] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const waiting = [files.send(SMALL, encoding), files.send(SMALL, encoding)];
      expect(waiting.map((sent) => sent instanceof Promise)).toEqual([true, true]);
      const [first, second] = await Promise.all(waiting);
      expect(first?.encoding).toBe(encoding);
      expect(decompress(first?.bytes ?? '').equals(SMALL.bytes)).toBe(true);
      expect(second?.bytes).toBe(first?.bytes);
      expect(files.send(SMALL, encoding)).toEqual(first);
    }
  });

  it('that is large is sent as it is until its compressed form is there', async () => {
    const files = new CompressedFiles();
    expect(files.send(LARGE, 'br')).toEqual({ bytes: LARGE.bytes, encoding: null });
    await expect.poll(() => files.send(LARGE, 'br')).toMatchObject({ encoding: 'br' });
    const { bytes } = await files.send(LARGE, 'br');
    expect(brotliDecompressSync(bytes).equals(LARGE.bytes)).toBe(true);
  });

  it('is sent as it is when it is tiny, gets no smaller, or nothing else is taken', async () => {
    const files = new CompressedFiles();
    const tiny = textOf(FRONT_END_COMPRESSED_BYTES_MIN - 1);
    expect(files.send(tiny, 'br')).toEqual({ bytes: tiny.bytes, encoding: null });
    expect(files.send(SMALL, undefined)).toEqual({ bytes: SMALL.bytes, encoding: null });
    const random = { bytes: crypto.getRandomValues(Buffer.alloc(2_000)) };
    expect(await files.send(random, 'br')).toEqual({ bytes: random.bytes, encoding: null });
    expect(files.send(random, 'br')).toEqual({ bytes: random.bytes, encoding: null });
  });
});

describe('Accept-Encoding', () => {
  it.each([
    [undefined, []],
    ['', []],
    ['identity', []],
    ['gzip, deflate, br, zstd', ['br', 'gzip']],
    ['gzip', ['gzip']],
    ['BR', ['br']],
    ['*', ['br', 'gzip']],
    ['br;q=0, *', ['gzip']],
    ['br;q=0.5, gzip;q=0.8', ['gzip', 'br']],
    ['br ; q=0.000,gzip ;q=1', ['gzip']],
    ['gzip;q=none', []],
    ['deflate, zstd', []],
  ])('%s takes %j', (header, encodings) => {
    expect(acceptedEncodings(header)).toEqual(encodings);
  });

  it('may be any text', () => {
    const text = fc.string({
      unit: fc.constantFrom('br', 'gzip', '*', ';', 'q=', ',', '0', '.', ' '),
    });
    fc.assert(
      fc.property(text, (header) => {
        for (const encoding of acceptedEncodings(header)) {
          expect(header.includes(encoding) || header.includes('*')).toBe(true);
        }
      }),
    );
  });
});
