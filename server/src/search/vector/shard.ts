import { bufferOf } from './kernel.ts';
import type { SharedMemory } from './kernel.ts';
import type { QuantizedVector } from './quantize.ts';
import { COUNT, DELETED, ENTRY, LINKED, LIST_INTS, LIST_INTS_LOWEST } from './shard-layout.ts';
import type { ShardLayout } from './shard-layout.ts';
import { sketchStrideOf } from './sketch.ts';

/**
 * One shared memory with vectors in slots 0, 1, 2 and so on, and a graph over those that are linked. One thread
 * writes; any number read at the same time, without locks. What a reader may see:
 *
 * - A slot below `count` is complete and its vector, node and chunk never change.
 * - A slot that was deleted before a search began is not found by it. During a search it may go either way.
 * - Slots in lists of neighbours are always below `count` and complete: a list is written after the slots that it
 *   names, and its length last. In a full list one neighbour takes the place of another.
 * - A slot from `linked` to `count` is not in the graph, or not in all of it: a search compares it directly.
 */
export class Shard {
  readonly memory: SharedMemory;
  readonly layout: ShardLayout;
  readonly header: Int32Array;
  readonly bytes: Int8Array;
  readonly nodes: Float64Array;
  readonly scales: Float32Array;
  readonly chunks: Int32Array;
  readonly next: Int32Array;
  readonly upperStarts: Int32Array;
  readonly table: Int32Array;
  readonly levels: Uint8Array;
  readonly deleted: Uint8Array;
  /** The whole memory: a list is found at `listAt`. */
  readonly ints: Int32Array;

  constructor(memory: SharedMemory, layout: ShardLayout) {
    const buffer = bufferOf(memory);
    const { capacity } = layout;
    this.memory = memory;
    this.layout = layout;
    this.header = new Int32Array(buffer, 0, 16);
    this.bytes = new Int8Array(buffer);
    this.nodes = new Float64Array(buffer, layout.nodesAt, capacity);
    this.scales = new Float32Array(buffer, layout.scalesAt, capacity);
    this.chunks = new Int32Array(buffer, layout.chunksAt, capacity);
    this.next = new Int32Array(buffer, layout.nextAt, capacity);
    this.upperStarts = new Int32Array(buffer, layout.upperStartsAt, capacity);
    this.table = new Int32Array(buffer, layout.tableAt, layout.tableSize);
    this.levels = new Uint8Array(buffer, layout.levelsAt, capacity);
    this.deleted = new Uint8Array(buffer, layout.deletedAt, capacity);
    this.ints = new Int32Array(buffer);
  }

  get count(): number {
    return Atomics.load(this.header, COUNT);
  }

  /** Slots below are in the graph, deleted ones perhaps not. */
  get linked(): number {
    return Atomics.load(this.header, LINKED);
  }

  /** -1 for none. */
  get entry(): number {
    return Atomics.load(this.header, ENTRY) - 1;
  }

  get deletedCount(): number {
    return Atomics.load(this.header, DELETED);
  }

  isDeleted(slot: number): boolean {
    return Atomics.load(this.deleted, slot) !== 0;
  }

  coarseAt(slot: number): number {
    return this.layout.coarseAt + slot * this.layout.stride;
  }

  fineAt(slot: number): number {
    return this.layout.fineAt + slot * this.layout.stride;
  }

  sketchAt(slot: number): Int8Array {
    const length = sketchStrideOf(this.layout.stride);
    const at = this.layout.sketchesAt + slot * length;
    return this.bytes.subarray(at, at + length);
  }

  /** Views of the memory. */
  vectorAt(slot: number): QuantizedVector {
    const half = (at: number): Int8Array => this.bytes.subarray(at, at + this.layout.stride);
    return {
      coarse: half(this.coarseAt(slot)),
      fine: half(this.fineAt(slot)),
      scale: this.scales[slot]!,
    };
  }

  /** Index in `ints` of the list of a slot on a level that it has. */
  listAt(slot: number, level: number): number {
    const { listsAt, upperListsAt } = this.layout;
    if (level === 0) return listsAt / 4 + slot * LIST_INTS_LOWEST;
    return upperListsAt / 4 + (this.upperStarts[slot]! + level - 1) * LIST_INTS;
  }

  /** The newest slot of a node, deleted or not; -1 for none. */
  firstOf(node: number): number {
    return Atomics.load(this.table, this.tablePosition(node)) - 1;
  }

  /** The next older one of the same node. */
  nextOf(slot: number): number {
    return this.next[slot]! - 1;
  }

  /** The slots of a node that are not deleted, newest first. */
  slotsOf(node: number): number[] {
    const slots: number[] = [];
    for (let slot = this.firstOf(node); slot >= 0; slot = this.nextOf(slot)) {
      if (!this.isDeleted(slot)) slots.push(slot);
    }
    return slots;
  }

  /**
   * Where in the table the node stands, or would stand: open addressing with linear probing; nothing is ever removed.
   */
  tablePosition(node: number): number {
    const mask = this.layout.tableSize - 1;
    let position = hash(node) & mask;
    for (;;) {
      const head = Atomics.load(this.table, position);
      if (head === 0 || this.nodes[head - 1] === node) return position;
      position = (position + 1) & mask;
    }
  }
}

/** Takes up to 53 bits; neighboring ids go far apart. */
function hash(node: number): number {
  const high = Math.floor(node / 0x1_0000_0000);
  const mixed = Math.imul((node | 0) ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}
