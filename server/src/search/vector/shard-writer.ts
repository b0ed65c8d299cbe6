import { assert } from '#base/assert.ts';
import { GraphInsert } from './graph-insert.ts';
import type { GraphSearch } from './graph-search.ts';
import { allocateShared, openKernel } from './kernel.ts';
import type { Scratch, WasmModule } from './kernel.ts';
import type { QuantizedVector } from './quantize.ts';
import { COUNT, DELETED } from './shard-layout.ts';
import type { ShardLayout } from './shard-layout.ts';
import { Shard } from './shard.ts';
import { writeSketch } from './sketch.ts';

/** What the shards of one writer have in common. */
export interface WriterTools {
  readonly layout: ShardLayout;
  readonly module: WasmModule | null;
  readonly scratch: Scratch;
  readonly search: GraphSearch;
  readonly random: () => number;
}

/** Writes one shard; see `Shard` for what readers see meanwhile. */
export class ShardWriter {
  readonly shard: Shard;
  readonly #insert: GraphInsert;

  constructor({ layout, module, scratch, search, random }: WriterTools) {
    const memory = allocateShared(layout.bytes);
    this.shard = new Shard(memory, layout);
    const kernel = openKernel(memory, module, scratch, layout.stride);
    this.#insert = new GraphInsert({ shard: this.shard, kernel }, search, scratch, random);
  }

  get isFull(): boolean {
    return this.shard.count === this.shard.layout.capacity;
  }

  append(node: number, chunk: number, vector: QuantizedVector): void {
    const { shard } = this;
    const slot = shard.count;
    assert(slot < shard.layout.capacity, 'the shard has room');
    shard.bytes.set(vector.coarse, shard.coarseAt(slot));
    shard.bytes.set(vector.fine, shard.fineAt(slot));
    shard.scales[slot] = vector.scale;
    shard.nodes[slot] = node;
    shard.chunks[slot] = chunk;
    this.derive(slot);
    Atomics.store(shard.header, COUNT, slot + 1);
  }

  /** Makes the sketch of a slot, and the slot the first of its node unless it is deleted. */
  derive(slot: number): void {
    const { shard } = this;
    writeSketch(shard.vectorAt(slot).coarse, shard.sketchAt(slot));
    if (shard.isDeleted(slot)) return;
    const position = shard.tablePosition(shard.nodes[slot]!);
    Atomics.store(shard.next, slot, Atomics.load(shard.table, position));
    Atomics.store(shard.table, position, slot + 1);
  }

  /** Slots of one node. They stay in the graph as ways to others until the shard is copied. */
  delete(node: number, slots: readonly number[]): void {
    const { shard } = this;
    if (slots.length === 0) return;
    for (const slot of slots) Atomics.store(shard.deleted, slot, 1);
    Atomics.store(shard.header, DELETED, shard.deletedCount + slots.length);
    this.#shortenChain(node);
  }

  linkNext(): boolean {
    return this.#insert.linkNext();
  }

  /** Takes deleted slots out of the chain of a node, or one that is written often would have a long one. */
  #shortenChain(node: number): void {
    const { shard } = this;
    const position = shard.tablePosition(node);
    const left = shard.slotsOf(node);
    for (const [i, slot] of left.entries())
      Atomics.store(shard.next, slot, (left[i + 1] ?? -1) + 1);
    const head = left[0] ?? Atomics.load(shard.table, position) - 1;
    if (left.length === 0) Atomics.store(shard.next, head, 0);
    Atomics.store(shard.table, position, head + 1);
  }
}
