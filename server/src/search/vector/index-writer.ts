import { assert } from '#base/assert.ts';
import {
  VECTOR_CHUNKS_MAX,
  VECTOR_DELETED_MIN,
  VECTOR_DELETED_SHARE_MAX,
  VECTOR_DIMENSIONS_MAX,
  VECTOR_SCAN_MAX,
  VECTOR_SHARD_BYTES_MAX,
} from '#base/search-limits.ts';
import { Compaction, ShardSet } from './shard-set.ts';
import { GraphSearch } from './graph-search.ts';
import { compileKernel, createScratch } from './kernel.ts';
import { quantize, strideOf, type VectorInput } from './quantize.ts';
import { capacityWithin, shardLayout } from './shard-layout.ts';
import type { ShardWriter, WriterTools } from './shard-writer.ts';
import type { VectorIndexHandle } from './vector-index.ts';

export interface VectorIndexOptions {
  /** 1 to `VECTOR_DIMENSIONS_MAX`. */
  readonly dimensions: number;
  readonly model: string;
  /** In [0, 1): draws the levels of the graph. */
  readonly random: () => number;
  /** Slots of a shard; by default what `VECTOR_SHARD_BYTES_MAX` has room for. */
  readonly capacity?: number;
  /** From how many vectors on there is a graph; by default beyond `VECTOR_SCAN_MAX`. */
  readonly scanMax?: number;
}

/** A vector of a node that is to be written. */
export interface ChunkInput {
  /** 0 to `VECTOR_CHUNKS_MAX` - 1, each once. */
  readonly chunk: number;
  readonly vector: VectorInput;
}

const NODE_MAX = 2 ** 40 - 1;

/**
 * Writes a vector index; one thread has it. `put` and `delete` take effect at once and cost microseconds; linking
 * into the graph and copying after many deletions is left to `work`, which the thread calls whenever it has time.
 */
export class VectorIndexWriter {
  readonly #options: VectorIndexOptions;
  readonly #tools: WriterTools;
  #active: ShardSet;
  #compaction: Compaction | undefined;
  /** Shards that readers may still have open. */
  #retired: ShardSet | undefined;
  #copies = 0;

  /** `shards`: of a snapshot; see `load`. */
  constructor(options: VectorIndexOptions, load?: (tools: WriterTools) => readonly ShardWriter[]) {
    const { dimensions, random } = options;
    assert(dimensions >= 1 && dimensions <= VECTOR_DIMENSIONS_MAX, `${dimensions} dimensions`);
    const scratch = createScratch(strideOf(dimensions));
    const capacity = options.capacity ?? capacityWithin(dimensions, VECTOR_SHARD_BYTES_MAX);
    const layout = shardLayout(dimensions, capacity);
    const search = new GraphSearch(scratch);
    this.#options = options;
    this.#tools = { layout, module: compileKernel(), scratch, search, random };
    this.#active = new ShardSet(this.#tools, load?.(this.#tools));
  }

  /** For readers. It is another one, with a higher version, when a shard was added or all were replaced. */
  get handle(): VectorIndexHandle {
    const { dimensions, model } = this.#options;
    const shards = this.#active.shards.map(({ shard }) => shard.memory);
    const { capacity } = this.#tools.layout;
    const version = this.#copies * 2 ** 20 + shards.length;
    return { dimensions, model, capacity, shards, kernel: this.#tools.module, version };
  }

  /** The shards as they are, for a snapshot. */
  get shards(): readonly ShardWriter[] {
    return this.#active.shards;
  }

  get stats(): VectorIndexStats {
    const { count, deleted, linked, shards } = this.#active;
    return { vectors: count - deleted, deleted, linked, shards: shards.length };
  }

  /**
   * Replaces all vectors of a node. Nothing is changed when one of them is refused.
   *
   * @throws Problem `invalid_vector`: another number of dimensions, a value that is not finite, or all zero.
   */
  put(node: number, chunks: readonly ChunkInput[]): void {
    assert(Number.isInteger(node) && node >= 0 && node <= NODE_MAX, `${node} is a node id`);
    const vectors = chunks.map(({ chunk, vector }) => {
      assert(chunk >= 0 && chunk < VECTOR_CHUNKS_MAX, `${chunk} is a chunk number`);
      return { chunk, vector: quantize(vector, this.#options.dimensions) };
    });
    this.#active.replace(node, vectors);
    // The copy gets the new ones from the end of the active shards.
    this.#compaction?.target.replace(node, []);
  }

  /** From now on no search finds the node, in shards that were replaced neither. */
  delete(node: number): void {
    this.#active.replace(node, []);
    this.#compaction?.target.replace(node, []);
    this.#retired?.replace(node, []);
  }

  /**
   * Does up to so many steps of about a tenth to half a millisecond of what is due: linking vectors, copying what is
   * not deleted. True when there is more to do.
   */
  work(stepsMax: number): boolean {
    for (let step = 0; step < stepsMax; step++) if (!this.#step()) return false;
    return true;
  }

  /** Begins to copy what is not deleted, which `work` does; by itself that begins at `VECTOR_DELETED_SHARE_MAX`. */
  compact(): void {
    this.#compaction ??= new Compaction(this.#active, this.#tools, this.#needsGraph);
  }

  /** To be called when all readers have opened the newest handle: what they had before is no longer kept up to date. */
  releaseRetired(): void {
    this.#retired = undefined;
  }

  #step(): boolean {
    if (this.#compaction !== undefined) {
      if (!this.#compaction.step()) this.#swap(this.#compaction.target);
      return true;
    }
    if (this.#isCompactionDue) {
      this.compact();
      return true;
    }
    return this.#needsGraph && this.#active.linkNext();
  }

  #swap(target: ShardSet): void {
    this.#retired = this.#active;
    this.#active = target;
    this.#compaction = undefined;
    this.#copies++;
  }

  /** A graph that was begun is gone on with. */
  get #needsGraph(): boolean {
    const { count, deleted, linked } = this.#active;
    return linked > 0 || count - deleted > (this.#options.scanMax ?? VECTOR_SCAN_MAX);
  }

  get #isCompactionDue(): boolean {
    const { count, deleted } = this.#active;
    return deleted >= VECTOR_DELETED_MIN && deleted >= count * VECTOR_DELETED_SHARE_MAX;
  }
}

export interface VectorIndexStats {
  readonly vectors: number;
  /** Still in memory. */
  readonly deleted: number;
  /** In the graph. */
  readonly linked: number;
  readonly shards: number;
}
