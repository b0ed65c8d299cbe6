import { assert, must } from '#base/assert.ts';
import {
  VECTOR_CHUNKS_MAX,
  VECTOR_DELETED_MIN,
  VECTOR_DELETED_SHARE_MAX,
  VECTOR_DIMENSIONS_MAX,
  VECTOR_SCAN_MAX,
  VECTOR_SHARD_BYTES_MAX,
} from '#base/search-limits.ts';
import { GraphSearch } from './graph-search.ts';
import { compileKernel, createScratch } from './kernel.ts';
import { quantize, type QuantizedVector, strideOf, type VectorInput } from './quantize.ts';
import { capacityWithin, shardLayout } from './shard.ts';
import { ShardWriter, type WriterTools } from './shard-writer.ts';
import type { VectorIndexHandle } from './vector-index.ts';

/** A vector to be stored. */
interface ChunkVector {
  readonly chunk: number;
  readonly vector: QuantizedVector;
}

/**
 * The shards of an index, for the writing thread. Vectors go to the last shard; a full one is
 * followed by a new one.
 */
class ShardSet {
  readonly #tools: WriterTools;
  readonly #shards: ShardWriter[] = [];

  constructor(tools: WriterTools, shards: readonly ShardWriter[] = []) {
    this.#tools = tools;
    this.#shards.push(...shards);
    if (shards.length === 0) this.#shards.push(new ShardWriter(tools));
  }

  get shards(): readonly ShardWriter[] {
    return this.#shards;
  }

  /** Deleted ones too. */
  get count(): number {
    return this.#sum(({ shard }) => shard.count);
  }

  get deleted(): number {
    return this.#sum(({ shard }) => shard.deletedCount);
  }

  get linked(): number {
    return this.#sum(({ shard }) => shard.linked);
  }

  append(node: number, { chunk, vector }: ChunkVector): void {
    if (this.#last.isFull) this.#shards.push(new ShardWriter(this.#tools));
    this.#last.append(node, chunk, vector);
  }

  /** Adds the new vectors, then removes the old: a reader always finds the node by one of them. */
  replace(node: number, vectors: readonly ChunkVector[]): void {
    const old = this.#shards.map((writer) => ({ writer, slots: writer.shard.slotsOf(node) }));
    for (const vector of vectors) this.append(node, vector);
    for (const { writer, slots } of old) writer.delete(node, slots);
  }

  /** Links one vector that is not in the graph; false when all are. */
  linkNext(): boolean {
    return this.#shards.some((writer) => writer.linkNext());
  }

  get #last(): ShardWriter {
    return must(this.#shards.at(-1), 'the last shard');
  }

  #sum(numberOf: (writer: ShardWriter) => number): number {
    return this.#shards.reduce((sum, writer) => sum + numberOf(writer), 0);
  }
}

/**
 * Copies living vectors to new shards, step by step, while the old ones serve and are written. New
 * vectors are appended to the old shards, so the copy meets them; the writer deletes in both.
 */
class Compaction {
  readonly target: ShardSet;
  readonly #source: ShardSet;
  readonly #needsGraph: boolean;
  #shard = 0;
  #slot = 0;

  constructor(source: ShardSet, tools: WriterTools, needsGraph: boolean) {
    this.#source = source;
    this.target = new ShardSet(tools);
    this.#needsGraph = needsGraph;
  }

  /** Copies or links one vector; false when source and copy hold the same. */
  step(): boolean {
    return this.#copyNext() || (this.#needsGraph && this.target.linkNext());
  }

  #copyNext(): boolean {
    for (;;) {
      const writer = this.#source.shards[this.#shard];
      if (writer === undefined) return false;
      const { shard } = writer;
      if (this.#slot >= shard.count) {
        // The last shard may still grow.
        if (this.#shard === this.#source.shards.length - 1) return false;
        this.#shard++;
        this.#slot = 0;
        continue;
      }
      const slot = this.#slot++;
      if (shard.isDeleted(slot)) continue;
      this.target.append(shard.nodes[slot]!, {
        chunk: shard.chunks[slot]!,
        vector: shard.vectorAt(slot),
      });
      return true;
    }
  }
}

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
 * Writes a vector index, in one thread. `put` and `delete` take effect at once, in microseconds.
 * Linking into the graph, and copying after many deletions, is left to `work`, which the thread
 * calls when it has time.
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

  /**
   * The index for readers. It changes, with a higher version, when shards are added or replaced.
   */
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
   * @throws Problem `invalid_vector`: another number of dimensions, a value that is not finite, or
   * all zero.
   */
  put(node: number, chunks: readonly ChunkInput[]): void {
    assert(Number.isInteger(node) && node >= 0 && node <= NODE_MAX, `${node} is a node id`);
    const vectors = chunks.map(({ chunk, vector }) => {
      assert(chunk >= 0 && chunk < VECTOR_CHUNKS_MAX, `${chunk} is a chunk number`);
      return { chunk, vector: quantize(vector, this.#options.dimensions) };
    });
    this.#active.replace(node, vectors);
    // The copy finds the new vectors at the end of the active shards.
    this.#compaction?.target.replace(node, []);
  }

  /** From now on no search finds the node, not even in replaced shards. */
  delete(node: number): void {
    this.#active.replace(node, []);
    this.#compaction?.target.replace(node, []);
    this.#retired?.replace(node, []);
  }

  /**
   * Does up to `stepsMax` steps of 0.1 to 0.5 ms: linking vectors, copying living ones. True if
   * there is more to do.
   */
  work(stepsMax: number): boolean {
    for (let step = 0; step < stepsMax; step++) if (!this.#step()) return false;
    return true;
  }

  /** Starts copying living vectors in `work`. It starts by itself at `VECTOR_DELETED_SHARE_MAX`. */
  compact(): void {
    this.#compaction ??= new Compaction(this.#active, this.#tools, this.#needsGraph);
  }

  /** Call it when all readers have opened the newest handle: older memory is no longer updated. */
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

  /** Continues a graph that was begun, even below `scanMax`. */
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
