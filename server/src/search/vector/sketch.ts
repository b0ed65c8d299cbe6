import { QUERY_MAX } from './quantize.ts';

/**
 * The coarse half of a vector in four bits a dimension: half the memory to read where all are looked at, which is what
 * a scan waits for. `coarse = SKETCH_STEP * (sketch - SKETCH_ZERO)`, rounded; 127 is 7 steps. Of the 32 dimensions in 16
 * bytes the first 16 are in the lower bits.
 *
 * It is empty, all bits zero, which no rounding gives, where it says too little: when one value dwarfs the others these
 * would all be rounded to zero.
 */
export const SKETCH_STEP = 17;
/** A sketch has no signs: this stands for zero. */
export const SKETCH_ZERO = 8;
/**
 * How much less than the truth a sketch may say, in steps: three standard deviations of a sum over dimensions of what
 * rounding takes away, for a query of length 1. One in a thousand says less.
 */
export const SKETCH_MARGIN = 3 / Math.sqrt(12);
const SKETCH_QUERY_MAX = 127;

/** Bytes of a sketch: a multiple of 16, for twice as many dimensions. */
export function sketchStrideOf(stride: number): number {
  return ((stride + 31) & ~31) >> 1;
}

/** `coarse` has a multiple of 16 values. */
export function writeSketch(coarse: Int8Array, sketch: Int8Array): void {
  let squares = 0;
  let kept = 0;
  for (let b = 0; b < sketch.length; b++) {
    const d = 2 * b - (b & 15);
    const low = coarse[d]!;
    const high = d + 16 < coarse.length ? coarse[d + 16]! : 0;
    const lowSteps = STEPS[low & 0xff]!;
    const highSteps = STEPS[high & 0xff]!;
    sketch[b] = lowSteps | (highSteps << 4);
    squares = (squares + low * low + high * high) | 0;
    kept = (kept + low * (lowSteps - SKETCH_ZERO) + high * (highSteps - SKETCH_ZERO)) | 0;
  }
  // Of the vector itself, and so of what is similar to it, rounding took away more than chance would.
  const taken = squares - SKETCH_STEP * kept;
  if (taken > SKETCH_MARGIN * SKETCH_STEP * Math.sqrt(squares)) sketch.fill(0);
}

/** Of each byte of a coarse half, by its bits. */
const STEPS = Uint8Array.from({ length: 256 }, (_, bits) => {
  const value = (bits << 24) >> 24;
  return SKETCH_ZERO + Math.round(value / SKETCH_STEP);
});

/** A query as it is compared with sketches, in eight bits. */
export interface SketchQuery {
  /** What its values are to be multiplied by. */
  readonly scale: number;
  readonly sum: number;
}

/** Writes it from one in 13 bits. */
export function sketchQueryOf(
  query: Int16Array,
  queryScale: number,
  sketchQuery: Int8Array,
): SketchQuery {
  let sum = 0;
  for (let d = 0; d < query.length; d++) {
    const value = Math.round((query[d]! * SKETCH_QUERY_MAX) / QUERY_MAX);
    sketchQuery[d] = value;
    sum += value;
  }
  return { scale: (queryScale * QUERY_MAX) / SKETCH_QUERY_MAX, sum };
}
