import { seededRandom } from '../../../../../test/support/seeded-random.ts';

/** Vectors of length 1 around centres, as embeddings of texts are; the same for the same seed. */
export function clusteredVectors(options: {
  readonly count: number;
  readonly dimensions: number;
  readonly clusters: number;
  readonly seed: number;
}): { readonly vectors: Float32Array[]; readonly clusterOf: number[] } {
  const { count, dimensions, clusters, seed } = options;
  const random = seededRandom(seed);
  const normal = (): number =>
    Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const vector = (): Float32Array => Float32Array.from({ length: dimensions }, normal);
  const centres = Array.from({ length: clusters }, vector);
  const clusterOf: number[] = [];
  const vectors = Array.from({ length: count }, () => {
    const cluster = Math.floor(random() * clusters);
    clusterOf.push(cluster);
    return normalized(vector().map((value, d) => value + centres[cluster]![d]!));
  });
  return { vectors, clusterOf };
}

export function normalized(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

export function cosine(first: ArrayLike<number>, second: ArrayLike<number>): number {
  let dot = 0;
  let firstSquares = 0;
  let secondSquares = 0;
  for (let d = 0; d < first.length; d++) {
    dot += first[d]! * second[d]!;
    firstSquares += first[d]! ** 2;
    secondSquares += second[d]! ** 2;
  }
  return dot / Math.sqrt(firstSquares * secondSquares);
}

/** The indexes of the `count` most similar of the vectors that are accepted, best first. */
export function exactNearest(
  vectors: readonly Float32Array[],
  query: Float32Array,
  count: number,
  accepts: (index: number) => boolean = () => true,
): number[] {
  return vectors
    .map((vector, index) => ({ index, similarity: cosine(vector, query) }))
    .filter(({ index }) => accepts(index))
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, count)
    .map(({ index }) => index);
}

export function recall(found: readonly number[], expected: readonly number[]): number {
  if (expected.length === 0) return 1;
  const wanted = new Set(expected);
  return found.filter((index) => wanted.has(index)).length / expected.length;
}
