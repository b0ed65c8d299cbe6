import type { AllowList } from './allow-list.ts';
import type { SharedMemory, WasmModule } from './kernel.ts';
import type { VectorInput } from './quantize.ts';

/**
 * Vectors of nodes, found by their cosine similarity to another. A node has any number of them, its chunks, and is
 * found once, by the best. They lie in shared memory, in shards: one thread writes them (`VectorIndexWriter`), every
 * thread reads them where they are (`openVectorIndex`), without locks and at any time; `Shard` says what a reader may
 * see meanwhile.
 *
 * While an index is small a search compares all vectors; beyond `VECTOR_SCAN_MAX` it goes through a graph. Vectors
 * that are not linked into the graph yet are compared one by one, so what was written is found at once.
 */
export interface VectorIndex {
  readonly dimensions: number;
  /** The model that the vectors come from; vectors of two models cannot be compared. */
  readonly model: string;

  /**
   * The most similar nodes, best first; of equal ones the smaller id first.
   *
   * @throws Problem `invalid_vector` for a query that `put` would refuse, too.
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
   * Only nodes for which it is true are found. It is called for candidates that are good enough, so it may cost
   * something.
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

/** What a thread needs to read an index: it can be posted. */
export interface VectorIndexHandle {
  readonly dimensions: number;
  readonly model: string;
  /** Slots of each shard. */
  readonly capacity: number;
  readonly shards: readonly SharedMemory[];
  readonly kernel: WasmModule | null;
  /** Goes up with each handle: a reader replaces its index when it gets one with a higher number. */
  readonly version: number;
}
