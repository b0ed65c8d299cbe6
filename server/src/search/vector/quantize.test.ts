import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scale, seed } from '../../../../test/support/scale.ts';
import { dequantize, quantize, quantizeQuery, queryOfStored } from './quantize.ts';
import { cosine } from './testing/clustered-vectors.ts';

const values = fc
  .array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 40 })
  .filter((list) => list.some((value) => value !== 0));

describe('quantize', () => {
  it('keeps the direction of any vector to 1e-4 and gives it length 1', () => {
    fc.assert(
      fc.property(values, (input) => {
        const stored = dequantize(quantize(input, input.length), input.length);
        const peak = Math.max(...input.map(Math.abs));
        expect(
          cosine(
            stored,
            input.map((value) => value / peak),
          ),
        ).toBeGreaterThan(1 - 1e-4);
        expect(Math.hypot(...stored)).toBeCloseTo(1, 4);
      }),
      { seed: seed(), numRuns: scale({ sample: 200, soak: 20_000 }) },
    );
  });

  it('keeps the direction of a query', () => {
    fc.assert(
      fc.property(values, (input) => {
        const query = new Int16Array(48);
        quantizeQuery(input, input.length, query);
        const peak = Math.max(...input.map(Math.abs));
        const scaled = input.map((value) => value / peak);
        expect(cosine(query.slice(0, input.length), scaled)).toBeGreaterThan(1 - 1e-4);
      }),
      { seed: seed(), numRuns: scale({ sample: 200, soak: 20_000 }) },
    );
  });

  it('gives the same query for a stored vector as for the input, within two steps', () => {
    const input = Float32Array.from({ length: 50 }, (_, d) => Math.sin(d));
    const [fromInput, fromStored] = [new Int16Array(64), new Int16Array(64)];
    const queryScale = quantizeQuery(input, 50, fromInput);
    expect(queryOfStored(quantize(input, 50), fromStored)).toBeCloseTo(queryScale, 6);
    for (let d = 0; d < 64; d++) expect(Math.abs(fromInput[d]! - fromStored[d]!)).toBeLessThan(2);
  });

  it.each([
    ['another number of dimensions', [1, 2], /2 dimensions where the index has 3/],
    ['NaN', [1, NaN, 2], /dimension 1 is NaN/],
    ['infinity', [1, 2, -Infinity], /dimension 2 is -Infinity/],
    ['zero', [0, -0, 0], /zero/],
  ])('refuses %s', (_, input, message) => {
    for (const refused of [
      () => quantize(input, 3),
      () => quantizeQuery(input, 3, new Int16Array(16)),
    ]) {
      expect(refused).toThrow(expect.objectContaining({ code: 'invalid_vector' }));
      expect(refused).toThrow(message);
    }
  });
});
