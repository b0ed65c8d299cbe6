import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatUid, keyedUid } from '../../server/src/base/uid.ts';
import { sha256 } from './sha256.ts';
import { nodeUid } from './uid.ts';

describe('sha256', () => {
  it('gives the digest of the standard for "abc"', () => {
    expect(Buffer.from(sha256(new TextEncoder().encode('abc'))).toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('equals node:crypto for every length around the block edges', () => {
    for (let length = 0; length <= 200; length++) {
      const message = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 0xff);
      expect(Buffer.from(sha256(message))).toEqual(createHash('sha256').update(message).digest());
    }
  });

  it('equals node:crypto for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (message) => {
        const expected = createHash('sha256').update(message).digest();
        expect(Buffer.from(sha256(message))).toEqual(expected);
      }),
    );
  });
});

describe('nodeUid', () => {
  it('is the documented one', () => {
    expect(nodeUid('Word', 'dog')).toMatch(/^[1-9A-HJ-NP-Za-km-z]{22}$/);
    expect(nodeUid('Word', 'dog')).not.toBe(nodeUid('Wor', 'ddog'));
  });

  it('equals the server for any type and key, lone surrogates included', () => {
    const text = fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) });
    fc.assert(
      fc.property(fc.oneof(fc.string(), text), fc.oneof(fc.string(), text), (type, key) => {
        expect(nodeUid(type, key)).toBe(formatUid(keyedUid(type, key)));
      }),
      { numRuns: 500 },
    );
  });
});
