import { ShardSet } from './shard-set.ts';
import type { WriterTools } from './shard-writer.ts';

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
