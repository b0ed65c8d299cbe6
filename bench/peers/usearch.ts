import { Index, MetricKind, ScalarKind } from 'usearch';

const CONNECTIVITY = 16;
const ADD_BREADTH = 128;
const SEARCH_BREADTH = 64;
const BATCH = 1_000;

/**
 * Vectors in usearch, in half precision, its fastest with such recall; one thread, with our
 * parameters.
 */
export class UsearchVectors {
  readonly #index: Index;
  readonly #dimensions: number;

  constructor(dimensions: number) {
    this.#dimensions = dimensions;
    this.#index = new Index({
      metric: MetricKind.Cos,
      quantization: ScalarKind.F16,
      dimensions,
      connectivity: CONNECTIVITY,
      expansion_add: ADD_BREADTH,
      expansion_search: SEARCH_BREADTH,
      multi: false,
    });
  }

  load(vectors: readonly Float32Array[]): void {
    for (let from = 0; from < vectors.length; from += BATCH) {
      const batch = vectors.slice(from, from + BATCH);
      const keys = BigUint64Array.from(batch, (_, i) => BigInt(from + i));
      const values = new Float32Array(batch.length * this.#dimensions);
      for (const [i, vector] of batch.entries()) values.set(vector, i * this.#dimensions);
      this.#index.add(keys, values, 1);
    }
  }

  search(query: Float32Array, count: number): number[] {
    return Array.from(this.#index.search(query, count, 1).keys, Number);
  }
}
