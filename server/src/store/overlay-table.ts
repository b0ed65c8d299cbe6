import { releaseMemory } from '#base/release-memory.ts';
import { readPlacesOf } from './batch.ts';
import { DATABASES, type DatabaseNumber } from './databases.ts';

/** Where the operations of a layer are. */
export interface OverlaySource {
  /** The payload so far, and room. It may be replaced by a longer one while the commit grows. */
  readonly bytes: Uint8Array;
  /** Bytes of the payload so far. */
  readonly length: number;
  /** Called once no reader of the overlay looks there any more. */
  unused?(): void;
}

/**
 * The operations of one commit in an overlay, from when it is built until it is visible in LMDB or
 * refused.
 */
export class OverlayLayer {
  readonly source: OverlaySource;
  readonly table: OverlayTable;
  isUndone = false;

  constructor(source: OverlaySource, table: OverlayTable) {
    this.source = source;
    this.table = table;
  }
}

const NEXT = 0;
const NEXT_OF_PREFIX = 1;
const HASH = 2;
const LAYER = 3;
const KEY_START = 4;
const DB_AND_KEY_LENGTH = 5;
const VALUE_START = 6;
const VALUE_LENGTH = 7;
const PREFIX_HASH = 8;
const FIELDS = 9;

const CAPACITY_FIRST = 64;
const DATABASES_MAX = 256;
const PREFIX_BYTES = new Uint8Array(DATABASES_MAX);
for (const { number, scanPrefixBytes } of DATABASES) PREFIX_BYTES[number] = scanPrefixBytes ?? 0;

/** The bytes that all keys of a scanned range of a database begin with. */
export function scanPrefix(db: DatabaseNumber): number {
  return PREFIX_BYTES[db]!;
}

/** With fewer entries than this share of the heads, each is cleared for itself. */
const CLEARED_SHARE = 32;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * A hash table of operations by key and by prefix, newest first, in two typed arrays. A load adds,
 * finds and removes two million operations here, without an object or a string for any of them.
 * Entries with the same FNV-1a hash of database and key are chained.
 *
 * A database has entries only once something is looked for in it: a load asks for few of the keys
 * that it puts, and never for most of its databases. Until then its operations are in the payloads.
 */
export class OverlayTable {
  readonly #layers: OverlayLayer[] = [];
  #live = 0;
  #operations = 0;
  /** Whether the operations of a database are entries, by its number. */
  readonly #hasEntries = new Uint8Array(DATABASES_MAX);
  /** The number of entries. */
  #count = 0;
  #entries = new Int32Array(CAPACITY_FIRST * FIELDS);
  /**
   * The newest entry for each hash of a key, then for each hash of a prefix, as its number + 1; 0
   * when there is none.
   */
  #heads = new Int32Array(CAPACITY_FIRST * 2);

  /** The number of operations. */
  get operations(): number {
    return this.#operations;
  }

  /** The number of layers that are neither dropped nor undone. */
  get live(): number {
    return this.#live;
  }

  addLayer(layer: OverlayLayer): void {
    this.#layers.push(layer);
    this.#live++;
  }

  removeLayer(): void {
    this.#live--;
    if (this.#live > 0) return;
    // The state below has all of this by now: start empty again, in the same memory.
    for (const { source } of this.#layers) source.unused?.();
    this.#layers.length = 0;
    this.#clearHeads();
    this.#count = 0;
    this.#operations = 0;
    this.#hasEntries.fill(0);
  }

  /** What a load has made large is not to be cleared as a whole after each small commit. */
  #clearHeads(): void {
    const heads = this.#heads;
    if (this.#count > heads.length / CLEARED_SHARE) {
      heads.fill(0);
      return;
    }
    const half = heads.length / 2;
    for (let at = 0; at < this.#count * FIELDS; at += FIELDS) {
      heads[this.#entries[at + HASH]! & (half - 1)] = 0;
      heads[half + (this.#entries[at + PREFIX_HASH]! & (half - 1))] = 0;
    }
  }

  /**
   * Adds an operation of the newest layer: its key and value as places in the bytes of the layer,
   * the value directly after the key; `valueLength` is -1 for a delete.
   */
  add(db: DatabaseNumber, keyStart: number, keyLength: number, valueLength: number): void {
    this.#operations++;
    if (this.#hasEntries[db] === 0) return;
    this.#enter(this.#layers.length - 1, db, keyStart, keyLength, valueLength);
  }

  /** Makes entries of the operations of a database, those of the oldest layer first. */
  #enterAll(db: DatabaseNumber): void {
    this.#hasEntries[db] = 1;
    for (const [layer, { source, isUndone }] of this.#layers.entries()) {
      if (isUndone) continue;
      readPlacesOf(db, source.bytes, source.length, (keyStart, keyEnd, valueStart, valueEnd) => {
        const valueLength = valueStart < 0 ? -1 : valueEnd - valueStart;
        this.#enter(layer, db, keyStart, keyEnd - keyStart, valueLength);
      });
    }
  }

  #enter(
    layer: number,
    db: DatabaseNumber,
    keyStart: number,
    keyLength: number,
    valueLength: number,
  ): void {
    if (this.#count * FIELDS === this.#entries.length) this.#grow();
    const { bytes } = this.#layers[layer]!.source;
    const prefixBytes = scanPrefix(db);
    const at = this.#count * FIELDS;
    const entries = this.#entries;
    const keyEnd = keyStart + keyLength;
    // The hash of the prefix is on the way to that of the key.
    const ofPrefix = addToHash(hashStart(db), bytes, keyStart, keyStart + prefixBytes);
    const ofKey =
      keyLength < prefixBytes
        ? addToHash(hashStart(db), bytes, keyStart, keyEnd)
        : addToHash(ofPrefix, bytes, keyStart + prefixBytes, keyEnd);
    entries[at + HASH] = hashEnd(ofKey);
    entries[at + LAYER] = layer;
    entries[at + KEY_START] = keyStart;
    entries[at + DB_AND_KEY_LENGTH] = (db << 16) | keyLength;
    entries[at + VALUE_START] = valueLength < 0 ? -1 : keyEnd;
    entries[at + VALUE_LENGTH] = valueLength;
    entries[at + PREFIX_HASH] = hashEnd(ofPrefix);
    this.#link(this.#count++);
  }

  /** The newest entry on a key, or -1. `hash` must come from `hashOf`. */
  find(db: DatabaseNumber, key: Uint8Array, hash: number): number {
    if (this.#operations === 0) return -1;
    if (this.#hasEntries[db] === 0) this.#enterAll(db);
    const entries = this.#entries;
    const dbAndLength = (db << 16) | key.length;
    let entry = this.#heads[hash & (this.#heads.length / 2 - 1)]! - 1;
    while (entry >= 0) {
      const at = entry * FIELDS;
      if (
        entries[at + HASH] === hash &&
        entries[at + DB_AND_KEY_LENGTH] === dbAndLength &&
        this.#isKey(at, key)
      ) {
        return entry;
      }
      entry = entries[at + NEXT]! - 1;
    }
    return -1;
  }

  /**
   * Visits the entries on keys with this prefix, newest first. Entries on other keys with the same
   * hash may be among them.
   */
  visitPrefix(db: DatabaseNumber, prefix: Uint8Array, visit: (entry: number) => void): void {
    if (this.#operations === 0) return;
    if (this.#hasEntries[db] === 0) this.#enterAll(db);
    const hash = hashOf(db, prefix, 0, prefix.length);
    const half = this.#heads.length / 2;
    let entry = this.#heads[half + (hash & (half - 1))]! - 1;
    while (entry >= 0) {
      const at = entry * FIELDS;
      if (this.#entries[at + DB_AND_KEY_LENGTH]! >>> 16 === db && !this.#layerAt(at).isUndone) {
        visit(entry);
      }
      entry = this.#entries[at + NEXT_OF_PREFIX]! - 1;
    }
  }

  key(entry: number): Uint8Array {
    const at = entry * FIELDS;
    const start = this.#entries[at + KEY_START]!;
    const length = this.#entries[at + DB_AND_KEY_LENGTH]! & 0xffff;
    return this.#layerAt(at).source.bytes.subarray(start, start + length);
  }

  /** The value of an entry; null for a delete. */
  value(entry: number): Uint8Array | null {
    const at = entry * FIELDS;
    const start = this.#entries[at + VALUE_START]!;
    if (start < 0) return null;
    const { bytes } = this.#layerAt(at).source;
    return bytes.subarray(start, start + this.#entries[at + VALUE_LENGTH]!);
  }

  #layerAt(at: number): OverlayLayer {
    return this.#layers[this.#entries[at + LAYER]!]!;
  }

  #isKey(at: number, key: Uint8Array): boolean {
    const layer = this.#layerAt(at);
    if (layer.isUndone) return false;
    const { bytes } = layer.source;
    const start = this.#entries[at + KEY_START]!;
    for (let i = 0; i < key.length; i++) if (bytes[start + i] !== key[i]) return false;
    return true;
  }

  #link(entry: number): void {
    const at = entry * FIELDS;
    const half = this.#heads.length / 2;
    const byKey = this.#entries[at + HASH]! & (half - 1);
    const byPrefix = half + (this.#entries[at + PREFIX_HASH]! & (half - 1));
    this.#entries[at + NEXT] = this.#heads[byKey]!;
    this.#entries[at + NEXT_OF_PREFIX] = this.#heads[byPrefix]!;
    this.#heads[byKey] = entry + 1;
    this.#heads[byPrefix] = entry + 1;
  }

  /**
   * Enlarges the table. Entries are linked again from the oldest on, so that the newest comes
   * first.
   */
  #grow(): void {
    const [entries, heads] = [this.#entries, this.#heads];
    this.#entries = new Int32Array(entries.length * 2);
    this.#entries.set(entries);
    this.#heads = new Int32Array(heads.length * 2);
    for (const { buffer } of [entries, heads]) releaseMemory(new Uint8Array(buffer));
    for (let entry = 0; entry < this.#count; entry++) this.#link(entry);
  }
}

/** FNV-1a over the database's number and the bytes from `start` to `end`. */
export function hashOf(db: DatabaseNumber, bytes: Uint8Array, start: number, end: number): number {
  return hashEnd(addToHash(hashStart(db), bytes, start, end));
}

function hashStart(db: DatabaseNumber): number {
  return Math.imul(FNV_OFFSET ^ db, FNV_PRIME);
}

function addToHash(before: number, bytes: Uint8Array, start: number, end: number): number {
  let hash = before;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, FNV_PRIME);
  return hash;
}

function hashEnd(hash: number): number {
  return hash ^ (hash >>> 15);
}
