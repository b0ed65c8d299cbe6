import { keyAfter } from '#store/bytes.ts';
import { DB } from '#store/databases.ts';
import {
  BLOCKS_STATE_KEY,
  encodeBlockCount,
  encodeBlocksState,
  END_KEY,
  FIRST_KEY,
  NOT_COUNTED,
  readBlockCount,
  readBlocksState,
} from '#store/entry-blocks.ts';
import type { LocalState, PutLocal } from '#store/local-state.ts';
import { isDamage } from '#store/value-seal.ts';
import { indexCountKey, writeType } from '../keys.ts';
import { SchemaSource } from '../schema-source.ts';
import { readCount } from '../writer-memory.ts';
import { isOfTimestamp } from './field-index.ts';

export interface BlockSizes {
  /** Entries of a new block. One that has twice as many becomes two. */
  readonly entries: number;
  /** An index with fewer entries is counted as it is. */
  readonly countedFrom: number;
  /** A larger index has larger blocks, so that a count does not add up more of them than these. */
  readonly blocksMax: number;
}

const SIZES: BlockSizes = { entries: 1_024, countedFrom: 8_192, blocksMax: 4_096 };
/** Entries that one slice goes over, which takes some milliseconds. */
const SLICE_ENTRIES = 32_768;
/** Records that one slice removes. */
const SLICE_RECORDS = 4_096;

/** A block as it is stored. */
interface Block {
  readonly key: Uint8Array;
  readonly count: number;
}

/**
 * Divides the entries of indexes into blocks whose counts the state keeps, in the thread that
 * writes: those of indexes that are ready, and larger than some. Each slice is one transaction
 * between two commits.
 */
export class IndexBlocks {
  readonly #local: LocalState;
  readonly #pause: () => Promise<void>;
  readonly #sizes: BlockSizes;
  readonly #schema: SchemaSource;
  #dividedTo = -1;

  /** `pause` is awaited between slices. */
  constructor(
    local: LocalState,
    pause: () => Promise<void> = () => Promise.resolve(),
    sizes: BlockSizes = SIZES,
  ) {
    this.#local = local;
    this.#pause = pause;
    this.#sizes = sizes;
    this.#schema = new SchemaSource(local.reader);
  }

  /** Whether a commit has come since the last division. */
  get isBehind(): boolean {
    return this.#local.sequence !== this.#dividedTo;
  }

  /** Divides all that there is now. Rejects with `storage_full` or `storage_failed`. */
  async divide(signal?: AbortSignal): Promise<void> {
    const { sequence } = this.#local;
    for (;;) {
      if (signal?.aborted === true) return;
      let isDone = true;
      await this.#local.write((put) => {
        isDone = this.#divideSome(put);
      });
      if (isDone) break;
      await this.#pause();
    }
    this.#dividedTo = sequence;
  }

  /** One slice. Returns whether nothing was left to do. */
  #divideSome(put: PutLocal): boolean {
    const { reader, sequence } = this.#local;
    this.#schema.revalidate();
    const entries = this.#countedIndexes();
    try {
      if (readBlocksState(reader.get(DB.entryBlocks, BLOCKS_STATE_KEY)) === undefined) {
        if (entries.size === 0) return true;
        // What is left of earlier counts shows other commits.
        if (this.#removeBetween(put, FIRST_KEY, END_KEY)) return false;
        put(DB.entryBlocks, BLOCKS_STATE_KEY, encodeBlocksState(sequence));
      }
      return this.#removeStrange(put, entries) && this.#divideIndexes(put, entries);
    } catch (error) {
      if (!isDamage(error)) throw error;
      // A record that cannot be read is removed with all others.
      put(DB.entryBlocks, BLOCKS_STATE_KEY, undefined);
      return true;
    }
  }

  /** The numbers of entries of the indexes that are to have blocks, by their numbers. */
  #countedIndexes(): ReadonlyMap<number, number> {
    const { reader } = this.#local;
    const counted = new Map<number, number>();
    for (const { indexes } of this.#schema.registry.nodeTypes) {
      for (const index of indexes) {
        if (!index.isReady || isOfTimestamp(index)) continue;
        const entries = readCount(reader.get(DB.meta, indexCountKey(index.number)));
        if (entries >= this.#sizes.countedFrom) counted.set(index.number, entries);
      }
    }
    return counted;
  }

  /** Removes blocks of indexes that are to have none; true when there are no such blocks. */
  #removeStrange(put: PutLocal, counted: ReadonlyMap<number, number>): boolean {
    let from: Uint8Array = FIRST_KEY;
    for (const number of [...counted.keys(), INDEX_NUMBERS].toSorted((a, b) => a - b)) {
      const end = number === INDEX_NUMBERS ? END_KEY : beginOf(number);
      if (this.#removeBetween(put, from, end)) return false;
      from = number === INDEX_NUMBERS ? END_KEY : beginOf(number + 1);
    }
    return true;
  }

  #divideIndexes(put: PutLocal, counted: ReadonlyMap<number, number>): boolean {
    let left = SLICE_ENTRIES;
    for (const [number, entries] of counted) {
      left = this.#divideIndex(put, { number, entries, left });
      if (left <= 0) return false;
    }
    return true;
  }

  /** Returns how many more entries the slice may go over. */
  #divideIndex(
    put: PutLocal,
    { number, entries, left }: { number: number; entries: number; left: number },
  ): number {
    const begin = beginOf(number);
    const end = beginOf(number + 1);
    const size = Math.max(this.#sizes.entries, Math.ceil(entries / this.#sizes.blocksMax));
    const blocks = this.#blocksBetween(begin, end);
    if (blocks.length === 0) blocks.push({ key: begin, count: NOT_COUNTED });
    const isWhole = blocks.every(({ count }) => count !== NOT_COUNTED);
    const sum = blocks.reduce((total, { count }) => total + count, 0);
    if (isWhole && sum !== entries) {
      this.#removeBetween(put, begin, end);
      return 0;
    }
    let budget = left;
    let before: Block | undefined;
    for (const [i, block] of blocks.entries()) {
      const next = blocks[i + 1]?.key ?? end;
      if (block.count === NOT_COUNTED || block.count > 2 * size) {
        if (budget <= 0) return 0;
        budget -= this.#divideBlock(put, block, { next, size, most: Math.max(budget, size) });
        before = undefined;
      } else if (before !== undefined && before.count + block.count <= size / 2) {
        before = { key: before.key, count: before.count + block.count };
        put(DB.entryBlocks, before.key, encodeBlockCount(before.count));
        put(DB.entryBlocks, block.key, undefined);
      } else {
        before = block;
      }
    }
    return budget;
  }

  /** Makes blocks of `size` of a block. Returns over how many entries it went. */
  #divideBlock(
    put: PutLocal,
    { key, count }: Block,
    { next, size, most }: { next: Uint8Array; size: number; most: number },
  ): number {
    const putCount = (at: Uint8Array, entries: number): void =>
      put(DB.entryBlocks, at, encodeBlockCount(entries));
    let from = key;
    for (let passed = 0; ; passed += size) {
      const left = count === NOT_COUNTED ? Infinity : count - passed;
      if (left <= size) {
        putCount(from, left);
        return passed;
      }
      if (passed >= most) {
        putCount(from, count === NOT_COUNTED ? NOT_COUNTED : left);
        return most;
      }
      const found = this.#local.keyAt(DB.indexes, { start: from, end: next }, size);
      if (found === undefined) {
        putCount(from, this.#local.reader.countRange(DB.indexes, { start: from, end: next }));
        return passed + size;
      }
      putCount(from, size);
      from = Uint8Array.from(found);
    }
  }

  #blocksBetween(start: Uint8Array, end: Uint8Array): Block[] {
    const blocks: Block[] = [];
    this.#local.reader.scan(DB.entryBlocks, { start, end }, (key, value) => {
      blocks.push({ key: Uint8Array.from(key), count: readBlockCount(value) });
    });
    return blocks;
  }

  /** Removes some blocks, damaged ones too. Returns whether there were any. */
  #removeBetween(put: PutLocal, begin: Uint8Array, end: Uint8Array): boolean {
    let start = begin;
    for (let removed = 0; removed < SLICE_RECORDS; removed++) {
      const key = this.#local.keyAt(DB.entryBlocks, { start, end }, 0);
      if (key === undefined) return removed > 0;
      put(DB.entryBlocks, key, undefined);
      start = keyAfter(key);
    }
    return true;
  }
}

/** Above the number of every index. */
const INDEX_NUMBERS = 0x1_0000;

function beginOf(number: number): Uint8Array {
  const begin = new Uint8Array(2);
  writeType(begin, 0, number);
  return begin;
}
