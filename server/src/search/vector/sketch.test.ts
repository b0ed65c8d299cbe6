import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scale, seed } from '../../../../test/support/scale.ts';
import {
  quantize,
  quantizeQuery,
  SKETCH_STEP,
  SKETCH_ZERO,
  sketchQueryOf,
  sketchStrideOf,
  writeSketch,
} from './quantize.ts';
import { clusteredVectors } from './testing/clustered-vectors.ts';

const runs = { seed: seed(), numRuns: scale({ sample: 200, soak: 20_000 }) };
const values = fc
  .array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 40 })
  .filter((list) => list.some((value) => value !== 0));

function sketchOf(coarse: Int8Array): Int8Array {
  const sketch = new Int8Array(sketchStrideOf(coarse.length));
  writeSketch(coarse, sketch);
  return sketch;
}

describe('a sketch', () => {
  it('is a stored vector to half a step, or empty', () => {
    fc.assert(
      fc.property(values, (input) => {
        const { coarse } = quantize(input, input.length);
        const sketch = sketchOf(coarse);
        if (sketch.every((byte) => byte === 0)) return;
        for (const [d, value] of coarse.entries()) {
          const byte = sketch[((d >> 5) << 4) + (d & 15)]!;
          const steps = ((byte >> (d & 16 ? 4 : 0)) & 15) - SKETCH_ZERO;
          expect(Math.abs(value - SKETCH_STEP * steps)).toBeLessThanOrEqual(SKETCH_STEP / 2);
        }
      }),
      runs,
    );
  });

  it('is empty where one value dwarfs the others, else hardly ever', () => {
    const { vectors } = clusteredVectors({ count: 500, dimensions: 384, clusters: 5, seed: 1 });
    const emptyOf = (list: readonly Float32Array[]): number =>
      list.filter((vector) => sketchOf(quantize(vector, 384).coarse).every((byte) => byte === 0))
        .length;
    expect(emptyOf(vectors)).toBeLessThan(5);
    expect(emptyOf(vectors.map((vector) => vector.with(7, 2)))).toBe(500);
  });
});

describe('the query for sketches', () => {
  it('is the query in eight bits', () => {
    fc.assert(
      fc.property(values, (input) => {
        const [query, inEight] = [new Int16Array(48), new Int8Array(48)];
        const queryScale = quantizeQuery(input, input.length, query);
        const { scale: sketchScale, sum } = sketchQueryOf(query, queryScale, inEight);
        for (const [d, value] of query.entries()) {
          const off = Math.abs(inEight[d]! * sketchScale - value * queryScale);
          expect(off).toBeLessThanOrEqual(sketchScale * 0.5001);
        }
        expect(sum).toBe(inEight.reduce((total, value) => total + value, 0));
      }),
      runs,
    );
  });
});
