import { readSequence, readWord } from './bytes.ts';
import { DB, type DatabaseNumber } from './databases.ts';
import type { Environment } from './environment.ts';
import type { KeyRange } from './key-value.ts';
import { isDamage } from './value-seal.ts';
import type { ValueStore } from './value-store.ts';

/**
 * How many entries of `indexes` there are from one key to the next, for some keys: the records of
 * `entryBlocks`. So a range is counted by adding up its blocks, and reading the keys at its ends.
 *
 *   u8 0                  -> u8 version of this layout, u48 the sequence that the counts show
 *   a key (2 bytes up)    -> u32 the number of entries from this key to the next one here, or to
 *                            the end of the index; all bits set where they are not counted yet
 *
 * The transaction that carries out commits changes the counts, so every reader has those of its own
 * commit. Which keys there are is up to who makes blocks: see `graph/indexes/index-blocks.ts`.
 */
export const BLOCKS_STATE_KEY = Uint8Array.of(0);
const VERSION = 1;
const STATE_BYTES = 7;
export const NOT_COUNTED = 0xffff_ffff;
/** The number of the index, with which each key begins. */
const INDEX_BYTES = 2;

export function encodeBlockCount(count: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(count, 0);
  return bytes;
}

export function readBlockCount(bytes: Uint8Array): number {
  return readWord(bytes, 0);
}

export function encodeBlocksState(sequence: number): Uint8Array {
  const bytes = Buffer.alloc(STATE_BYTES);
  bytes[0] = VERSION;
  bytes.writeUIntBE(sequence, 1, 6);
  return bytes;
}

/** The sequence that counts show; undefined where there are none, or those of another layout. */
export function readBlocksState(bytes: Uint8Array | undefined): number | undefined {
  if (bytes === undefined || bytes.length !== STATE_BYTES || bytes[0] !== VERSION) return undefined;
  return readSequence(bytes, 1);
}

/** What the counts of blocks are read from, in one transaction. */
export interface CountedStores {
  readonly entries: ValueStore;
  readonly blocks: ValueStore;
  readonly options: Parameters<ValueStore['get']>[1];
}

/** The number of entries of a range that lies in one index. */
export function countByBlocks(stores: CountedStores, range: KeyRange): number {
  const { entries, options } = stores;
  try {
    const found = blocksWithin(stores, range);
    if (found !== undefined) return found;
  } catch (error) {
    // Blocks are made of the entries, so damaged ones are left alone.
    if (!isDamage(error)) throw error;
  }
  return entries.countRange(range, options);
}

function blocksWithin(stores: CountedStores, range: KeyRange): number | undefined {
  const { entries, blocks, options } = stores;
  const { start, end } = range;
  if (
    start.length < INDEX_BYTES ||
    readBlocksState(blocks.get(BLOCKS_STATE_KEY, options)) === undefined
  )
    return undefined;
  let first: Uint8Array | undefined;
  let last: Uint8Array = NO_KEY;
  let sum = 0;
  let lastCount = 0;
  let isOfOneIndex = true;
  blocks.scan(
    { start, end },
    (key, value) => {
      isOfOneIndex = isSameIndex(key, start);
      if (!isOfOneIndex) return false;
      first ??= Uint8Array.from(key);
      sum += lastCount;
      lastCount = readBlockCount(value);
      last = keep(last, key);
      return lastCount !== NOT_COUNTED;
    },
    options,
  );
  if (first === undefined || !isOfOneIndex) return undefined;
  const isToTheEnd = lastCount !== NOT_COUNTED && !isSameIndex(end, start);
  const rest = isToTheEnd ? lastCount : entries.countRange({ start: last, end }, options);
  return entries.countRange({ start, end: first }, options) + sum + rest;
}

const NO_KEY = new Uint8Array(0);

/** Copies a key, into the memory of the one before where that has its length. */
function keep(before: Uint8Array, key: Uint8Array): Uint8Array {
  if (before.length !== key.length) return Uint8Array.from(key);
  before.set(key);
  return before;
}

function isSameIndex(a: Uint8Array, b: Uint8Array): boolean {
  return a[0] === b[0] && a[1] === b[1];
}

/** Keeps the counts of blocks with the commits that are carried out. */
export class EntryBlocks {
  readonly #graph: Environment;
  #isOn = false;
  #keys: Uint8Array[] = [];
  #counts: number[] = [];
  /** By place: what the present transaction adds. */
  readonly #changes = new Map<number, number>();
  /** Where the last key was found: the next one is near in a load. */
  #place = 0;

  /** `sequence` is what the graph shows. Counts that show another one are of no use. */
  constructor(graph: Environment, sequence: number) {
    this.#graph = graph;
    this.#load(sequence);
  }

  #load(sequence: number): void {
    const blocks = this.#blocks;
    try {
      if (readBlocksState(blocks?.get(BLOCKS_STATE_KEY)) !== sequence) return;
      blocks?.scan({ start: FIRST_KEY, end: END_KEY }, (key, value) => {
        this.#keys.push(Uint8Array.from(key));
        this.#counts.push(readBlockCount(value));
      });
      this.#isOn = true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#forget();
    }
  }

  get #blocks(): ValueStore | undefined {
    return this.#graph.stores[DB.entryBlocks];
  }

  /** Whether there are records that this does not keep up. */
  get isStale(): boolean {
    return !this.#isOn && this.#blocks?.has(BLOCKS_STATE_KEY) === true;
  }

  /** Takes in one operation of a commit that the graph does not show yet. */
  add(db: DatabaseNumber, payload: Uint8Array, keyStart: number, keyEnd: number, by: 1 | -1): void {
    if (db !== DB.indexes || this.#keys.length === 0) return;
    const place = this.#placeOf(payload, keyStart, keyEnd);
    if (place < 0 || this.#counts[place] === NOT_COUNTED) return;
    this.#changes.set(place, (this.#changes.get(place) ?? 0) + by);
  }

  /** Within the transaction of a group that ends at `sequence`. */
  put(sequence: number): void {
    const blocks = this.#blocks;
    if (!this.#isOn || blocks === undefined) return;
    blocks.put(BLOCKS_STATE_KEY, encodeBlocksState(sequence));
    for (const [place, change] of this.#changes) {
      const count = this.#counts[place]! + change;
      // It can only be wrong: the entries are counted anew.
      if (count < 0 || count >= NOT_COUNTED) return this.drop();
      if (change !== 0) blocks.put(this.#keys[place]!, encodeBlockCount(count));
    }
  }

  /** The transaction has ended, and the graph shows this sequence. */
  settle(isDone: boolean, sequence: number): void {
    if (isDone) {
      for (const [place, change] of this.#changes) this.#counts[place]! += change;
    }
    this.#changes.clear();
    // What was dropped is still there when the transaction has failed.
    if (!isDone && !this.#isOn) this.#load(sequence);
  }

  /** Within a transaction: there are no counts from now on. */
  drop(): void {
    this.#blocks?.remove(BLOCKS_STATE_KEY);
    this.#forget();
  }

  #forget(): void {
    this.#isOn = false;
    this.#keys = [];
    this.#counts = [];
    this.#changes.clear();
  }

  /** Takes over a record that was written, or removed. */
  take(key: Uint8Array, value: Uint8Array | undefined): void {
    if (key.length < INDEX_BYTES) {
      if (value === undefined) this.#forget();
      else this.#isOn = true;
      return;
    }
    const place = this.#lastUpTo(key, 0, key.length);
    const isKnown = place >= 0 && Buffer.compare(this.#keys[place]!, key) === 0;
    if (value === undefined) {
      if (isKnown) {
        this.#keys.splice(place, 1);
        this.#counts.splice(place, 1);
      }
    } else if (isKnown) {
      this.#counts[place] = readBlockCount(value);
    } else {
      this.#keys.splice(place + 1, 0, Uint8Array.from(key));
      this.#counts.splice(place + 1, 0, readBlockCount(value));
    }
  }

  /** The block of a key; negative when no block of its index begins before it. */
  #placeOf(bytes: Uint8Array, start: number, end: number): number {
    const keys = this.#keys;
    let place = this.#place;
    const isThere =
      place < keys.length &&
      compare(bytes, start, end, keys[place]!) >= 0 &&
      (place + 1 === keys.length || compare(bytes, start, end, keys[place + 1]!) < 0);
    if (!isThere) place = this.#lastUpTo(bytes, start, end);
    if (place < 0) return -1;
    this.#place = place;
    const key = keys[place]!;
    return key[0] === bytes[start] && key[1] === bytes[start + 1] ? place : -1;
  }

  /** The last key that is not above this one. */
  #lastUpTo(bytes: Uint8Array, start: number, end: number): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(bytes, start, end, this.#keys[middle]!) >= 0) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

/** All keys of blocks: those of two bytes and more. */
export const FIRST_KEY = Uint8Array.of(0, 0);
export const END_KEY = Uint8Array.of(0xff, 0xff, 0xff);

function compare(bytes: Uint8Array, start: number, end: number, key: Uint8Array): number {
  const length = Math.min(end - start, key.length);
  for (let i = 0; i < length; i++) {
    const difference = bytes[start + i]! - key[i]!;
    if (difference !== 0) return difference;
  }
  return end - start - key.length;
}
