import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatUid, keyedUid, parseUid, randomUid, tryParseUid } from './uid.ts';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Base58 by the definition. */
function base58(bytes: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let digits = '';
  while (number > 0n) {
    digits = ALPHABET.charAt(Number(number % 58n)) + digits;
    number /= 58n;
  }
  return digits.padStart(22, '1');
}

const uid = fc.uint8Array({ minLength: 16, maxLength: 16 });

describe('a UID', () => {
  test('is printed as 22 digits of base58, and read back', () => {
    fc.assert(
      fc.property(uid, (bytes) => {
        const text = formatUid(bytes);
        expect(text).toBe(base58(bytes));
        expect(parseUid(text)).toEqual(bytes);
      }),
    );
  });

  test.each([new Uint8Array(16), new Uint8Array(16).fill(255), new Uint8Array(16).fill(1, 15)])(
    'at the limits: %s',
    (bytes) => {
      expect(formatUid(bytes)).toBe(base58(bytes));
      expect(parseUid(formatUid(bytes))).toEqual(bytes);
    },
  );

  test('of a key is the beginning of SHA-256 over type, zero byte and key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (type, key) => {
        const digest = createHash('sha256').update(`${type}\0${key}`).digest();
        expect([...keyedUid(type, key)]).toEqual([...digest.subarray(0, 16)]);
      }),
    );
  });

  test.each([
    '',
    '1',
    '1'.repeat(21),
    '1'.repeat(23),
    `${'1'.repeat(21)}0`,
    `${'1'.repeat(21)}l`,
    'z'.repeat(22),
    `${'1'.repeat(21)}é`,
  ])('%s is none', (text) => {
    expect(tryParseUid(text)).toBeUndefined();
    expect(() => parseUid(text)).toThrow('is not a UID');
  });

  test('made at random is new each time', () => {
    const made = new Set(Array.from({ length: 1_000 }, () => formatUid(randomUid())));
    expect(made.size).toBe(1_000);
  });
});
