import { VECTOR_DIMENSIONS_MAX } from '#base/search-limits.ts';
import { EmbeddingFailure } from '#search/embeddings/embed-texts.ts';
import { vectorOf } from '#search/embeddings/embedding-record.ts';

/**
 * The vectors in an answer, by their `index`, which some servers leave out, made to be of length 1. Throws `EmbeddingFailure`
 * unless there are `count`, all of the same dimensions, finite, and other than zero.
 */
export function readEmbeddings(text: string, count: number): Float32Array[] {
  const data = dataIn(text);
  if (data.length !== count) throw unusable(`${data.length} vectors for ${count} texts`);
  const vectors = Array.from<Float32Array | undefined>({ length: count });
  for (const [at, item] of data.entries()) {
    const { embedding, index = at }: { embedding?: unknown; index?: unknown } = Object(item);
    if (typeof index !== 'number' || !(index in vectors) || vectors[index] !== undefined) {
      throw unusable('a vector of no text');
    }
    vectors[index] = unitVector(embedding);
  }
  const whole = vectors.filter((vector) => vector !== undefined);
  const dimensions = whole[0]?.length ?? 0;
  if (whole.some(({ length }) => length !== dimensions)) {
    throw unusable('vectors of different dimensions');
  }
  return whole;
}

function dataIn(text: string): readonly unknown[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch (cause) {
    throw unusable('something else than JSON', cause);
  }
  const { data }: { data?: unknown } = Object(answer);
  if (!Array.isArray(data)) throw unusable('no list of vectors');
  return data;
}

/** Of Base64 of little-endian 32-bit floats, or of numbers. */
function unitVector(embedding: unknown): Float32Array {
  const vector =
    typeof embedding === 'string'
      ? vectorOf(embedding)
      : Float32Array.from(Array.isArray(embedding) ? embedding : []);
  if (vector.length === 0 || vector.length > VECTOR_DIMENSIONS_MAX) {
    throw unusable(`a vector of ${vector.length} dimensions`);
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  const length = Math.sqrt(squares);
  if (!Number.isFinite(length) || length === 0) throw unusable('a vector without a direction');
  for (let i = 0; i < vector.length; i++) vector[i] = vector[i]! / length;
  return vector;
}

function unusable(what: string, cause?: unknown): EmbeddingFailure {
  return new EmbeddingFailure('misconfigured', `the provider answers with ${what}`, { cause });
}
