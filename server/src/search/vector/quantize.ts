import { Problem } from '#base/problem.ts';

/** A vector from a model or a caller. */
export type VectorInput = Float32Array | readonly number[];

/**
 * A vector as stored: `scale * (coarse + fine / 256)`, symmetric around zero, of length 1. Searches
 * read the coarse half. The fine half makes similarities of hits exact to about 1e-5.
 */
export interface QuantizedVector {
  readonly coarse: Int8Array;
  readonly fine: Int8Array;
  readonly scale: number;
}

const COARSE_MAX = 127;
export const FINE_STEPS = 256;
/**
 * 13 bits with sign: over 4,096 dimensions an inner product with bytes is at most 4,095 * 128 *
 * 4,096 < 2^31.
 */
const QUERY_MAX = 4_095;

/** Stride: the dimensions rounded up to a multiple of 16; the rest is zero. */
export function strideOf(dimensions: number): number {
  return (dimensions + 15) & ~15;
}

/**
 * Throws `invalid_vector` for another number of dimensions, a value that is not a number, and zero,
 * which has no direction.
 */
export function quantize(input: VectorInput, dimensions: number): QuantizedVector {
  const { peak, norm } = measure(input, dimensions);
  const stride = strideOf(dimensions);
  const coarse = new Int8Array(stride);
  const fine = new Int8Array(stride);
  for (let d = 0; d < dimensions; d++) {
    const value = Math.round((input[d]! / peak) * COARSE_MAX * FINE_STEPS);
    const high = Math.floor((value + FINE_STEPS / 2) / FINE_STEPS);
    coarse[d] = high;
    fine[d] = value - high * FINE_STEPS;
  }
  return { coarse, fine, scale: 1 / (COARSE_MAX * norm) };
}

/** Writes a query of length 1 in 13 bits. Returns the factor of its values. */
export function quantizeQuery(input: VectorInput, dimensions: number, query: Int16Array): number {
  const { peak, norm } = measure(input, dimensions);
  for (let d = 0; d < dimensions; d++) query[d] = Math.round((input[d]! / peak) * QUERY_MAX);
  return 1 / (QUERY_MAX * norm);
}

/** A stored vector as a query, exact to its coarse half and five bits of the fine one. */
export function queryOfStored(vector: QuantizedVector, query: Int16Array): number {
  const { coarse, fine, scale } = vector;
  const perStep = QUERY_MAX / (COARSE_MAX * FINE_STEPS);
  for (let d = 0; d < coarse.length; d++) {
    query[d] = Math.round((coarse[d]! * FINE_STEPS + fine[d]!) * perStep);
  }
  return (scale * COARSE_MAX) / QUERY_MAX;
}

export function dequantize(stored: QuantizedVector, dimensions: number): Float32Array {
  const { coarse, fine, scale } = stored;
  const vector = new Float32Array(dimensions);
  for (let d = 0; d < dimensions; d++) vector[d] = scale * (coarse[d]! + fine[d]! / FINE_STEPS);
  return vector;
}

/** `peak`: the largest absolute value. `norm`: the length divided by it, which cannot overflow. */
function measure(input: VectorInput, dimensions: number): { peak: number; norm: number } {
  if (input.length !== dimensions) {
    throw invalid(`a vector has ${input.length} dimensions where the index has ${dimensions}`);
  }
  let peak = 0;
  for (let d = 0; d < dimensions; d++) {
    const size = Math.abs(input[d]!);
    if (!(size < Infinity)) throw invalid(`the value at dimension ${d} is ${input[d]}`);
    if (size > peak) peak = size;
  }
  if (peak === 0) throw invalid('all values of a vector are zero');
  let squares = 0;
  for (let d = 0; d < dimensions; d++) squares += (input[d]! / peak) ** 2;
  return { peak, norm: Math.sqrt(squares) };
}

function invalid(message: string): Problem {
  return new Problem('invalid_vector', message, {
    hint: 'Use the model of the index, which gives finite numbers that are not all zero.',
  });
}

/**
 * The coarse half of a vector in four bits for each dimension: a scan waits for memory, and this is
 * half of it. `coarse = SKETCH_STEP * (sketch - SKETCH_ZERO)`, rounded; 127 is 7 steps. The first
 * 16 of the 32 dimensions in 16 bytes are in the lower bits.
 *
 * A sketch of zero bits is empty; rounding never gives it. It is used when one value dwarfs the
 * others, which would all round to zero.
 */
export const SKETCH_STEP = 17;
/** A sketch has no signs: this stands for zero. */
export const SKETCH_ZERO = 8;
/**
 * How far a sketch may understate, in steps: three standard deviations of the summed rounding, for
 * a query of length 1. One in a thousand is below.
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
  // Rounding lost more of the vector, and so of similar ones, than chance would.
  const taken = squares - SKETCH_STEP * kept;
  if (taken > SKETCH_MARGIN * SKETCH_STEP * Math.sqrt(squares)) sketch.fill(0);
}

/** The step of each byte of a coarse half, by its bits. */
const STEPS = Uint8Array.from({ length: 256 }, (_, bits) => {
  const value = (bits << 24) >> 24;
  return SKETCH_ZERO + Math.round(value / SKETCH_STEP);
});

/** A query in eight bits, to compare with sketches. */
export interface SketchQuery {
  /** The factor of its values. */
  readonly scale: number;
  readonly sum: number;
}

/** Makes it from a query in 13 bits. */
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
