import { bufferOf, type SharedMemory } from './kernel.ts';
import { type QuantizedVector, sketchStrideOf, strideOf } from './quantize.ts';
import { assert } from '#base/assert.ts';

/**
 * Neighbors of a vector in the graph (M); twice as many on the lowest level (Malkov and Yashunin,
 * section 4.1).
 */
export const NEIGHBORS = 16;
export const NEIGHBORS_LOWEST = 2 * NEIGHBORS;
export const LEVEL_MAX = 8;

/** A list of neighbors: how many, then their slots. */
export const LIST_INTS = 1 + NEIGHBORS;
export const LIST_INTS_LOWEST = 1 + NEIGHBORS_LOWEST;

/** Numbers in the header, by index. They are only written with Atomics. */
export const COUNT = 0;
export const LINKED = 1;
/** Slot + 1 of where a search of the graph begins; 0 for none. */
export const ENTRY = 2;
/** Lists used in the section of the upper levels. */
export const UPPER_USED = 3;
export const DELETED = 4;
const HEADER_BYTES = 64;

/**
 * Where things are in the memory of a shard, by slot, in bytes. Two numbers decide it all, so every
 * thread computes it for itself.
 */
export interface ShardLayout {
  readonly dimensions: number;
  readonly capacity: number;
  /** Bytes of one half of a vector. */
  readonly stride: number;
  /** Two halves of a vector, one byte a dimension. */
  readonly coarseAt: number;
  readonly fineAt: number;
  /** See `writeSketch`. */
  readonly sketchesAt: number;
  readonly nodesAt: number;
  readonly scalesAt: number;
  readonly chunksAt: number;
  /** Slot + 1 of another vector of the same node; 0 for none. */
  readonly nextAt: number;
  readonly listsAt: number;
  /** For a vector on upper levels: the number of its first upper list. */
  readonly upperStartsAt: number;
  readonly upperListsAt: number;
  readonly upperLists: number;
  readonly tableAt: number;
  /** A power of two. */
  readonly tableSize: number;
  readonly levelsAt: number;
  readonly deletedAt: number;
  readonly bytes: number;
}

export function shardLayout(dimensions: number, capacity: number): ShardLayout {
  assert(capacity >= 1 && Number.isInteger(capacity), 'a shard has room for vectors');
  const stride = strideOf(dimensions);
  const upperLists = upperListsOf(capacity);
  const tableSize = tableSizeOf(capacity);
  let end = HEADER_BYTES;
  const section = (bytes: number): number => {
    const at = end;
    end = (end + bytes + 63) & ~63;
    assert(end > 0, 'a shard is smaller than 2 GiB');
    return at;
  };
  return {
    dimensions,
    capacity,
    stride,
    coarseAt: section(capacity * stride),
    fineAt: section(capacity * stride),
    sketchesAt: section(capacity * sketchStrideOf(stride)),
    nodesAt: section(capacity * 8),
    scalesAt: section(capacity * 4),
    chunksAt: section(capacity * 4),
    nextAt: section(capacity * 4),
    listsAt: section(capacity * LIST_INTS_LOWEST * 4),
    upperStartsAt: section(capacity * 4),
    upperListsAt: section(upperLists * LIST_INTS * 4),
    upperLists,
    tableAt: section(tableSize * 4),
    tableSize,
    levelsAt: section(capacity),
    deletedAt: section(capacity),
    bytes: end,
  };
}

/** The most vectors that fit into a shard of this size. */
export function capacityWithin(dimensions: number, bytesMax: number): number {
  const bytesPerSlot = shardLayout(dimensions, 65_536).bytes / 65_536;
  // The table grows by doubling, so it may need more than this estimate.
  let capacity = Math.floor(bytesMax / bytesPerSlot);
  while (shardLayout(dimensions, capacity).bytes > bytesMax) capacity = Math.floor(capacity * 0.99);
  return capacity;
}

/**
 * A vector has 1 / (M - 1) upper lists on average. There is room for a quarter more; without room a
 * vector stays on the lowest level.
 */
function upperListsOf(capacity: number): number {
  return Math.ceil((capacity / (NEIGHBORS - 1)) * 1.25) + LEVEL_MAX;
}

/** At most two thirds full. */
function tableSizeOf(capacity: number): number {
  return 2 ** Math.ceil(Math.log2(capacity * 1.5 + 1));
}

/**
 * Shared memory with vectors in slots 0, 1, 2 and so on, and a graph over the linked ones. One
 * thread writes; any number of threads read, without locks. A reader relies on this:
 *
 * - A slot below `count` is complete; its vector, node and chunk never change.
 * - A search does not find a slot deleted before it began. One deleted meanwhile it may find.
 * - Slots in lists of neighbors are below `count` and complete: a list is written after the slots
 *   that it names, its length last. In a full list a new neighbor replaces another.
 * - A slot from `linked` to `count` is not yet (fully) in the graph: a search compares it directly.
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

  /** Slots below this are in the graph, except perhaps deleted ones. */
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
   * The node's place in the table, or where it would go: open addressing with linear probing,
   * without removal.
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
