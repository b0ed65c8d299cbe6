import { assert } from '#base/assert.ts';
import { strideOf } from './quantize.ts';
import { sketchStrideOf } from './sketch.ts';

/** Neighbours of a vector in the graph (M); on the lowest level twice as many. Malkov and Yashunin, section 4.1. */
export const NEIGHBOURS = 16;
export const NEIGHBOURS_LOWEST = 2 * NEIGHBOURS;
export const LEVEL_MAX = 8;

/** A list of neighbours: how many, then their slots. */
export const LIST_INTS = 1 + NEIGHBOURS;
export const LIST_INTS_LOWEST = 1 + NEIGHBOURS_LOWEST;

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
 * Where things are in the memory of one shard, by slot: all of it follows from two numbers, so every thread computes
 * it for itself. Offsets are in bytes.
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
  /** Of a vector on upper levels: its first list among the upper ones. */
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

/** The most vectors whose shard takes no more than so many bytes. */
export function capacityWithin(dimensions: number, bytesMax: number): number {
  const bytesPerSlot = shardLayout(dimensions, 65_536).bytes / 65_536;
  // Twice the table, which grows by doubling, may be more than this estimate has.
  let capacity = Math.floor(bytesMax / bytesPerSlot);
  while (shardLayout(dimensions, capacity).bytes > bytesMax) capacity = Math.floor(capacity * 0.99);
  return capacity;
}

/**
 * A vector has on average 1 / (M - 1) lists on upper levels; a quarter more are there, and without room it stays on
 * the lowest.
 */
function upperListsOf(capacity: number): number {
  return Math.ceil((capacity / (NEIGHBOURS - 1)) * 1.25) + LEVEL_MAX;
}

/** At most two thirds full. */
function tableSizeOf(capacity: number): number {
  return 2 ** Math.ceil(Math.log2(capacity * 1.5 + 1));
}
