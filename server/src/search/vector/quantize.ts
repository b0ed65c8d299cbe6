import { Problem } from '#base/problem.ts';

/** As it comes from a model or a caller. */
export type VectorInput = Float32Array | readonly number[];

/**
 * How a vector is stored: `scale * (coarse + fine / 256)`, symmetric around zero, of length 1. Searching reads the
 * coarse half only; the fine one, another eight bits, makes the similarities of what was found exact to about 1e-5.
 */
export interface QuantizedVector {
  readonly coarse: Int8Array;
  readonly fine: Int8Array;
  readonly scale: number;
}

const COARSE_MAX = 127;
export const FINE_STEPS = 256;
/**
 * 13 bits with the sign: over 4,096 dimensions an inner product with bytes stays below 4,095 * 128 * 4,096 < 2^31
 * whatever the values are.
 */
export const QUERY_MAX = 4_095;

/** Stride: the dimensions rounded up to a multiple of 16; the rest is zero. */
export function strideOf(dimensions: number): number {
  return (dimensions + 15) & ~15;
}

/**
 * Refuses with `invalid_vector` another number of dimensions, what is not a number, and zero, which has no direction.
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

/** Writes a query of length 1 in 13 bits; gives what its values are to be multiplied by. */
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

/**
 * `peak`: the largest absolute value. `norm`: the length of the vector divided by it, which no value can make
 * overflow.
 */
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
