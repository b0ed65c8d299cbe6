import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SCALAR_TYPES } from '@trellis/contract/field-types.ts';
import { ByteWriter } from '../bytes.ts';
import { decodeField } from '../field-decoder.ts';
import { encodeField } from '../field-encoder.ts';
import { type ScalarType, TAG } from '../field-types.ts';
import { compareValues, identity } from '../query/comparison.ts';
import { edgeValues } from '../testing/edge-values.ts';
import { IndexKey, isOrderedScalar } from './index-key.ts';

interface Keyed {
  readonly value: unknown;
  readonly key: Uint8Array;
  readonly isExact: boolean;
}

/** A value as a node has it, and its key. */
function keyed(type: ScalarType, given: unknown, isWhole = false): Keyed {
  const tag = TAG[type];
  const stored = new ByteWriter();
  expect(encodeField(stored, tag, given)).toBeUndefined();
  const key = new IndexKey({ isWhole }).begin(1);
  key.stored(stored.bytes, 0, stored.length, tag);
  const value = decodeField(stored.bytes, 0, stored.length, tag, tag);
  return { value, key: key.copy(), isExact: key.isExact };
}

const PAIRS = 2_000;

describe.each(SCALAR_TYPES)('keys of %s', (type) => {
  const tag = TAG[type];
  const pair = fc.tuple(edgeValues[type], edgeValues[type]);

  it('sort as their values, and equal ones tell when they stand for several values', () => {
    fc.assert(
      fc.property(pair, (values) => {
        const [a, b] = values.map((value) => keyed(type, value)) as [Keyed, Keyed];
        const order = Buffer.compare(a.key, b.key);
        const isEqual = identity(tag, a.value) === identity(tag, b.value);
        if (isEqual) expect(order).toBe(0);
        else if (a.isExact && b.isExact) expect(order).not.toBe(0);
        if (order !== 0 && isOrderedScalar(tag)) {
          expect(order).toBe(Math.sign(compareValues(tag, a.value, b.value)));
        }
      }),
      { numRuns: PAIRS },
    );
  });

  it('are equal for equal values only, where they are whole', () => {
    fc.assert(
      fc.property(pair, (values) => {
        const [a, b] = values.map((value) => keyed(type, value, true)) as [Keyed, Keyed];
        const isEqual = identity(tag, a.value) === identity(tag, b.value);
        expect(Buffer.compare(a.key, b.key) === 0).toBe(isEqual);
      }),
      { numRuns: PAIRS },
    );
  });
});
