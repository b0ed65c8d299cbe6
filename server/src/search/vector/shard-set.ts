import { must } from '#base/assert.ts';
import type { QuantizedVector } from './quantize.ts';
import { ShardWriter } from './shard-writer.ts';
import type { WriterTools } from './shard-writer.ts';

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
