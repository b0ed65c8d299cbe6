import type { AllowList } from './allow-list.ts';
import type { SharedMemory, WasmModule } from './kernel.ts';
import type { VectorInput } from './quantize.ts';

/**
 * Vectors of nodes, found by cosine similarity. A node has any number of vectors, its chunks, and
 * is found once, by the best. They are in shared memory, in shards: one thread writes
 * (`VectorIndexWriter`), every thread reads (`openVectorIndex`) without locks. `Shard` says what a
 * reader may see.
 *
 * A small index compares all vectors; beyond `VECTOR_SCAN_MAX` it searches a graph. Vectors not yet
 * linked into the graph are compared one by one, so new ones are found at once.
 */
export interface VectorIndex {
  readonly dimensions: number;
  /** The model that the vectors come from; vectors of two models cannot be compared. */
  readonly model: string;

  /**
   * The most similar nodes, best first, then the smaller id.
   *
   * @throws Problem `invalid_vector` for a query that `put` would refuse.
   */
  search(query: VectorInput, options: VectorSearchOptions): VectorHit[];

  /** The vectors of a node, of length 1, by chunk; none when it has none. */
  vectorsOf(node: number): StoredVector[];
}

export interface VectorSearchOptions {
  /** Hits at most, 1 to `VECTOR_HITS_MAX`. */
  readonly count: number;
  /** -1 to 1. */
  readonly similarityMin?: number;
  /** Only these nodes may be found. */
  readonly allow?: AllowList;
  /**
   * Finds only nodes for which it returns true. Called only for good candidates, so it may be slow.
   */
  readonly accepts?: (node: number) => boolean;
}

export interface VectorHit {
  readonly node: number;
  /** The chunk of the node that is the most similar. */
  readonly chunk: number;
  /** Cosine, -1 to 1, to about 1e-4. */
  readonly similarity: number;
}

export interface StoredVector {
  readonly chunk: number;
  readonly vector: Float32Array;
}

/** What a thread needs to read an index; it can be posted. */
export interface VectorIndexHandle {
  readonly dimensions: number;
  readonly model: string;
  /** Slots of each shard. */
  readonly capacity: number;
  readonly shards: readonly SharedMemory[];
  readonly kernel: WasmModule | null;
  /** Rises with each handle: a reader opens a handle with a higher number. */
  readonly version: number;
}
