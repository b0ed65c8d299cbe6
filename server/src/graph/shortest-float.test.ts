import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from './bytes.ts';
import { decodeField } from './field-decoder.ts';
import { encodeField } from './field-encoder.ts';
import { TAG } from './field-types.ts';
import { predicateOf } from './query/comparison.ts';
import { shortestFloat } from './shortest-float.ts';

const float = fc
  .float({ noNaN: true, noDefaultInfinity: true })
  .map((value) => (value === 0 ? 0 : value));
const RUNS = { numRuns: 5_000 };

/** The decimals with so many digits on both sides of a value. */
function decimalsBeside(value: number, digits: number): number[] {
  const [coefficient = '', exponent = '0'] = value.toExponential(20).split('e');
  const power = Number(exponent) - digits + 1;
  const whole = Math.trunc(Number(coefficient) * 10 ** (digits - 1));
  return [whole - 1, whole, whole + 1].map((one) => Number(`${one}e${power}`));
}

function digitsOf(value: number): number {
  return value.toExponential().split('e')[0]?.replaceAll(/[-.]/g, '').length ?? 0;
}

function expectShortest(value: number): void {
  const shown = shortestFloat(value);
  expect(Math.fround(shown)).toBe(value);
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 24) {
    expect(shown).toBe(value);
    return;
  }
  for (let digits = 1; digits < digitsOf(shown); digits++) {
    for (const shorter of decimalsBeside(value, digits)) {
      expect(Math.fround(shorter), `${shorter} for ${value}`).not.toBe(value);
    }
  }
}

describe('the shortest number of a Float', () => {
  it.each([0.1, 9.99, 2.71, 0.3, 1e-20, 1e11, 1e-45, 3.4e38, -19.95, 123_456.7, 1e-6, 16_777_216])(
    'is %d, as it was written',
    (written) => {
      expect(shortestFloat(Math.fround(written))).toBe(written);
    },
  );

  it('is 0 for the zero below, as JSON has it', () => {
    expect(Object.is(shortestFloat(-0), 0)).toBe(true);
  });

  it('reads back to the same 32 bits, and no shorter one does', () => {
    fc.assert(fc.property(float, expectShortest), RUNS);
  });

  it('is so beside every power of two', () => {
    const bits = new Uint32Array(1);
    const floats = new Float32Array(bits.buffer);
    for (let exponent = 1; exponent < 255; exponent++) {
      for (const offset of [-1, 0, 1]) {
        bits[0] = (exponent << 23) + offset;
        expectShortest(floats[0]!);
      }
    }
  });

  it('is in the order of the values', () => {
    fc.assert(
      fc.property(float, float, (a, b) => {
        expect(Math.sign(shortestFloat(a) - shortestFloat(b))).toBe(Math.sign(a - b));
      }),
      RUNS,
    );
  });

  it('meets comparisons with what was written, in all of its digits', () => {
    const most = Math.fround(3.4e38);
    fc.assert(
      fc.property(fc.double({ min: -most, max: most, noNaN: true }), (written) => {
        const out = new ByteWriter();
        expect(encodeField(out, TAG.Float, written)).toBeUndefined();
        const shown = decodeField(out.bytes, 0, out.length, TAG.Float, TAG.Float);
        for (const operand of [written, Math.fround(written), shown]) {
          const meets = (['=', '<=', '>=', '<', '>'] as const).map((compare) =>
            predicateOf(TAG.Float, compare, operand)?.(shown),
          );
          expect(meets).toEqual([true, true, true, false, false]);
        }
      }),
    );
  });
});
