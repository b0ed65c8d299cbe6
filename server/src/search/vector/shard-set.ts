import { must } from '#base/assert.ts';
import type { QuantizedVector } from './quantize.ts';
import { ShardWriter, type WriterTools } from './shard-writer.ts';

/** A vector to be stored. */
export interface ChunkVector {
  readonly chunk: number;
  readonly vector: QuantizedVector;
}

/**
 * The shards of an index, for the thread that writes them. Vectors are appended to the last one; when it is full a
 * new one begins.
 */
export class ShardSet {
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

  /** First come the new ones, then the old ones go: a reader finds the node by either, never by none. */
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
 * Copies what is not deleted to new shards, step by step, while the old ones serve and are written. What is appended
 * meanwhile comes at the end of the old ones, so the copying meets it; what is deleted is deleted in the copy too, by
 * the writer.
 */
export class Compaction {
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
