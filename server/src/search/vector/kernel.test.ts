import { describe, expect, it } from 'vitest';
import { VECTOR_DIMENSIONS_MAX } from '#base/search-limits.ts';
import { seededRandom } from '../../../../test/support/seeded-random.ts';
import {
  allocateShared,
  bufferOf,
  compileKernel,
  createScratch,
  openKernel,
  PlainKernel,
} from './kernel.ts';
import { sketchStrideOf, strideOf } from './quantize.ts';

const VECTORS = 20;

function scene(dimensions: number, random: () => number) {
  const stride = strideOf(dimensions);
  const memory = allocateShared(VECTORS * stride);
  const bytes = new Int8Array(bufferOf(memory));
  for (let slot = 0; slot < VECTORS; slot++) {
    for (let d = 0; d < dimensions; d++) {
      bytes[slot * stride + d] = Math.floor(random() * 256) - 128;
    }
  }
  const scratch = createScratch(stride);
  for (let d = 0; d < dimensions; d++) {
    scratch.query[d] = Math.floor(random() * 8191) - 4095;
    scratch.sketchQuery[d] = Math.floor(random() * 255) - 127;
  }
  const simd = openKernel(memory, compileKernel(), scratch, stride);
  const plain = new PlainKernel(bytes, scratch, stride);
  return { stride, bytes, scratch, simd, plain };
}

describe('the kernel', () => {
  const random = seededRandom(1);
  const dimensions = Array.from({ length: 33 }, (_, i) => i + 1);

  it.each([...dimensions, 384, 1_000, VECTOR_DIMENSIONS_MAX])(
    'computes with SIMD what plain JavaScript does, in %i dimensions',
    (count) => {
      const { stride, scratch, simd, plain } = scene(count, random);
      expect(simd).not.toBeInstanceOf(PlainKernel);
      const slots = [3, 0, VECTORS - 1, 7, 7];
      scratch.slots.set(slots);
      simd.queryDots(2 * stride - 2 * stride, slots.length);
      const dots = scratch.dots.slice(0, slots.length);
      scratch.dots.fill(0);
      plain.queryDots(0, slots.length);
      expect(dots).toEqual(scratch.dots.slice(0, slots.length));
      for (const [first, second] of [
        [0, 1],
        [5, 19],
        [4, 4],
      ] as const) {
        const addresses = [first * stride, second * stride] as const;
        expect(simd.pairDot(...addresses)).toBe(plain.pairDot(...addresses));
      }
    },
  );

  it.each([...dimensions, 384, 1_000, VECTOR_DIMENSIONS_MAX])(
    'computes with SIMD what plain JavaScript does, of sketches in %i dimensions',
    (count) => {
      const { stride, scratch, simd, plain } = scene(count, random);
      const base = sketchStrideOf(stride);
      const slots = [3, 0, VECTORS - 2, 7, 7];
      scratch.slots.set(slots);
      simd.sketchDots(base, slots.length);
      const dots = scratch.dots.slice(0, slots.length);
      scratch.dots.fill(0);
      plain.sketchDots(base, slots.length);
      expect(dots).toEqual(scratch.dots.slice(0, slots.length));
      expect(dots[3]).not.toBe(0);
    },
  );

  it('counts slots from the base', () => {
    const { stride, scratch, simd, plain } = scene(48, random);
    scratch.slots[0] = 2;
    simd.queryDots(5 * stride, 1);
    const [fromBase] = scratch.dots;
    scratch.slots[0] = 7;
    plain.queryDots(0, 1);
    expect(fromBase).toBe(scratch.dots[0]);
  });

  it('does not overflow with the largest values in the most dimensions', () => {
    const { bytes, scratch, simd } = scene(VECTOR_DIMENSIONS_MAX, random);
    bytes.fill(-128);
    scratch.query.fill(4095);
    scratch.slots[0] = 0;
    simd.queryDots(0, 1);
    expect(scratch.dots[0]).toBe(-128 * 4095 * VECTOR_DIMENSIONS_MAX);
    bytes.fill(-1);
    for (const value of [-127, 127]) {
      scratch.sketchQuery.fill(value);
      simd.sketchDots(0, 1);
      expect(scratch.dots[0]).toBe(15 * value * VECTOR_DIMENSIONS_MAX);
    }
  });

  it('takes a full batch', () => {
    const { scratch, simd, plain } = scene(32, random);
    for (let i = 0; i < scratch.slots.length; i++) scratch.slots[i] = i % VECTORS;
    simd.queryDots(0, scratch.slots.length);
    const dots = scratch.dots.slice();
    plain.queryDots(0, scratch.slots.length);
    expect(dots).toEqual(scratch.dots);
  });
});
