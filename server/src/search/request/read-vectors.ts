import { SEARCH_VECTOR_FIELDS_MAX, VECTOR_DIMENSIONS_MAX } from '#base/search-limits.ts';
import { vectorOf } from '../embeddings/embedding-record.ts';
import { invalid, isObject } from './members.ts';

/** Base64 of so many 32-bit floats. */
const BASE64_CHARACTERS_MAX = Math.ceil((VECTOR_DIMENSIONS_MAX * 4) / 3) * 4;

export function readVector(value: unknown, path: string): readonly number[] {
  const isOfNumbers = Array.isArray(value) && value.every((one) => typeof one === 'number');
  if (!isOfNumbers) throw invalid(path, 'must be a list of numbers');
  checkVector(value, path);
  return value;
}

/** By model: base64 of little-endian 32-bit floats. */
export function readQueryVectors(value: unknown, path: string): ReadonlyMap<string, Float32Array> {
  const entries = isObject(value) ? Object.entries(value) : [];
  if (!isObject(value) || entries.length > SEARCH_VECTOR_FIELDS_MAX) {
    throw invalid(path, `must be an object of at most ${SEARCH_VECTOR_FIELDS_MAX} vectors`);
  }
  return new Map(
    entries.map(([model, text]) => {
      const at = `${path}.${model}`;
      if (typeof text !== 'string' || text.length > BASE64_CHARACTERS_MAX) {
        throw invalid(at, 'must be 32-bit floats in base64');
      }
      const vector = vectorOf(text);
      checkVector(vector, at);
      return [model, vector];
    }),
  );
}

function checkVector(vector: Float32Array | readonly number[], path: string): void {
  const { length } = vector;
  if (length === 0 || length > VECTOR_DIMENSIONS_MAX) {
    throw invalid(path, `must have 1 to ${VECTOR_DIMENSIONS_MAX} dimensions`);
  }
  if (!vector.every(Number.isFinite) || vector.every((one) => one === 0)) {
    throw invalid(path, 'must be finite numbers that are not all zero');
  }
}
