import type { Database, GetOptions, RangeOptions, Transaction } from 'lmdb';
import { Problem } from '#base/problem.ts';
import type { KeyRange, ScanVisitor } from './key-value.ts';
import { numberOf, type TransactionWrites } from './transaction-writes.ts';
import { SEAL_BYTES_MAX, type ValueSeal } from './value-seal.ts';

export type Store = Database<Uint8Array, Uint8Array>;

/** Called with each entry of a range. Returns false to end. */
export type InspectVisitor = (key: Uint8Array, isDamaged: boolean) => boolean | void;

export interface StoreSize {
  readonly entries: number;
  /** The size of the pages that hold the database. */
  readonly bytes: number;
}

const NOTHING = new Uint8Array(0);
const APPENDING = { append: true } as const;

/** One database of an environment. All its values are read and written through the seal. */
export class ValueStore {
  /** The LMDB database, which holds the sealed values. */
  readonly stored: Store;
  readonly #writes: TransactionWrites | undefined;
  readonly #number: number;
  readonly #db: number;
  readonly #seal: ValueSeal;
  readonly #entries: RangesKept<StoredEntry>;
  readonly #keys: RangesKept<Uint8Array>;

  /** Without `writes`, lmdb-js itself takes what is put. */
  constructor(stored: Store, db: number, seal: ValueSeal, writes?: TransactionWrites) {
    this.stored = stored;
    this.#writes = writes;
    this.#number = numberOf(stored);
    this.#db = db;
    this.#seal = seal;
    this.#entries = new RangesKept((bounds) => stored.getRange(bounds));
    this.#keys = new RangesKept((bounds) => stored.getKeys(bounds));
  }

  get(key: Uint8Array, options?: GetOptions): Uint8Array | undefined {
    const stored = this.stored.get(key, options);
    return stored === undefined ? undefined : this.#seal.openOften(this.#db, key, stored, options);
  }

  /** Whether the key exists; the value is not read. */
  has(key: Uint8Array, options?: GetOptions): boolean {
    return this.stored.get(key, options) !== undefined;
  }

  scan(range: KeyRange, visit: ScanVisitor, options?: GetOptions): void {
    // A check covers the key too, so with checks the value is read even when only keys are wanted.
    if (range.keysOnly === true && this.#seal.form !== 'checked') {
      return this.eachKey(range, visit, options);
    }
    this.each(
      range,
      (key, stored) => visit(key, this.#seal.open(this.#db, key, stored, options)),
      options,
    );
  }

  /** Reads each entry, and tells whether it is damaged, where `scan` would throw. */
  inspect(range: KeyRange, visit: InspectVisitor, options?: GetOptions): void {
    this.each(range, (key, stored) => visit(key, this.#isDamaged(key, stored, options)), options);
  }

  #isDamaged(key: Uint8Array, stored: Uint8Array, options?: GetOptions): boolean {
    try {
      this.#seal.open(this.#db, key, stored, options);
      return false;
    } catch (error) {
      if (error instanceof Problem && error.code === 'storage_corrupt') return true;
      throw error;
    }
  }

  /** Visits entries with their stored values. */
  each({ start, end, reverse }: KeyRange, visit: ScanVisitor, options?: GetOptions): void {
    // For LMDB an empty end means no end; here it means that no key is below it.
    if (end.length === 0) return;
    const range = this.#entries.for(reverse === true);
    const iterator = range.begin(start, end, options);
    try {
      for (;;) {
        const next = iterator.next();
        if (next.done === true || visit(next.value.key, next.value.value) === false) return;
      }
    } finally {
      range.end(iterator);
    }
  }

  protected eachKey(
    { start, end, reverse }: KeyRange,
    visit: ScanVisitor,
    options?: GetOptions,
  ): void {
    if (end.length === 0) return;
    const range = this.#keys.for(reverse === true);
    const iterator = range.begin(start, end, options);
    try {
      for (;;) {
        const next = iterator.next();
        if (next.done === true || visit(next.value, NOTHING) === false) return;
      }
    } finally {
      range.end(iterator);
    }
  }

  countRange({ start, end }: KeyRange, options?: GetOptions): number {
    return end.length === 0 ? 0 : this.stored.getKeysCount({ start, end, ...options });
  }

  /** The key that has so many keys before it in a range; a view, valid until the next read. */
  keyAt({ start, end }: KeyRange, place: number, options?: GetOptions): Uint8Array | undefined {
    if (end.length === 0) return undefined;
    const range = { start, end, offset: place, limit: 1, ...options };
    for (const key of this.stored.getKeys(range)) return key;
    return undefined;
  }

  /** The number of entries. */
  count(options?: GetOptions): number {
    return this.stored.getCount({ start: new Uint8Array(0), ...options });
  }

  /** As LMDB counts them, at no cost. */
  size(): StoreSize {
    // The result has no useful type.
    const stats = Object(this.stored.getStats()) as Readonly<Record<string, unknown>>;
    const number = (name: string): number => Number(stats[name] ?? 0);
    const pages =
      number('treeBranchPageCount') + number('treeLeafPageCount') + number('overflowPages');
    return { entries: number('entryCount'), bytes: pages * number('pageSize') };
  }

  /**
   * Puts an entry, within `writeTransaction`. A value in plain form is not copied, so it must not
   * change until that resolves.
   */
  put(key: Uint8Array, value: Uint8Array): void {
    this.putStored(key, this.#seal.seal(this.#db, key, value));
  }

  /** The same for a value that is sealed. */
  protected putStored(key: Uint8Array, stored: Uint8Array): void {
    const writes = this.#writes;
    if (writes === undefined) {
      void this.stored.put(key, stored);
      return;
    }
    writes.room(stored.length).set(stored, writes.roomAt);
    writes.put(this.#number, key, 0, key.length, stored.length);
  }

  /**
   * The same for a key in `bytes` whose value lies right behind it. It makes no objects, since a
   * load puts millions of entries.
   */
  putPlaced(bytes: Uint8Array, keyStart: number, keyEnd: number, valueEnd: number): void {
    const writes = this.#writes;
    if (writes === undefined) {
      this.put(bytes.subarray(keyStart, keyEnd), bytes.subarray(keyEnd, valueEnd));
      return;
    }
    const room = writes.room(valueEnd - keyEnd + SEAL_BYTES_MAX);
    const { roomAt } = writes;
    const length = this.#seal.sealInto(this.#db, bytes, keyStart, keyEnd, valueEnd, room, roomAt);
    writes.put(this.#number, bytes, keyStart, keyEnd, length);
  }

  /** The same for a key that is not there, from a large group of commits. */
  putNew(bytes: Uint8Array, keyStart: number, keyEnd: number, valueEnd: number): void {
    this.putPlaced(bytes, keyStart, keyEnd, valueEnd);
  }

  /** Within `writeTransaction`. */
  remove(key: Uint8Array): void {
    this.removePlaced(key, 0, key.length);
  }

  /** The same for a key that lies in `bytes`. */
  removePlaced(bytes: Uint8Array, keyStart: number, keyEnd: number): void {
    if (this.#writes === undefined) void this.stored.remove(bytes.subarray(keyStart, keyEnd));
    else this.#writes.delete(this.#number, bytes, keyStart, keyEnd);
  }

  /**
   * Appends an entry, within a `transactionSync`. Returns false when the key is not above all
   * others.
   */
  append(key: Uint8Array, value: Uint8Array): boolean {
    const stored = this.#seal.seal(this.#db, key, value);
    // The types of lmdb-js do not declare the result.
    const isAppended: unknown = this.stored.putSync(key, stored, APPENDING);
    return isAppended === true;
  }
}

interface StoredEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** What lmdb-js reads whenever a range begins. */
interface Bounds {
  start: Uint8Array;
  end: Uint8Array;
  transaction: Transaction | undefined;
}

type MakeRange<T> = (bounds: RangeOptions) => Iterable<T>;

const FORWARD = {} as const;
const REVERSE = { reverse: true, exclusiveStart: true, inclusiveEnd: true } as const;

/**
 * A range that begins again and again, with other bounds: to have lmdb-js make a new one costs as
 * much as to read an entry.
 */
class RangeKept<T> {
  isFree = true;
  readonly #bounds: Bounds;
  readonly #range: Iterable<T>;
  readonly #isReverse: boolean;

  constructor(make: MakeRange<T>, isReverse: boolean) {
    const way = isReverse ? REVERSE : FORWARD;
    this.#bounds = { start: NOTHING, end: NOTHING, transaction: undefined, ...way };
    this.#range = make(this.#bounds as RangeOptions);
    this.#isReverse = isReverse;
  }

  /** `end` has to be called for what this returns. */
  begin(start: Uint8Array, end: Uint8Array, options: GetOptions | undefined): Iterator<T> {
    const bounds = this.#bounds;
    bounds.start = this.#isReverse ? end : start;
    bounds.end = this.#isReverse ? start : end;
    bounds.transaction = options?.transaction;
    const iterator = this.#range[Symbol.iterator]();
    this.isFree = false;
    return iterator;
  }

  /** Returns the cursor, also when a visitor has thrown. */
  end(iterator: Iterator<T>): void {
    iterator.return?.();
    this.isFree = true;
  }
}

/** The two ways of one kind of range. */
class RangesKept<T> {
  readonly #make: MakeRange<T>;
  #forward: RangeKept<T> | undefined;
  #reverse: RangeKept<T> | undefined;

  constructor(make: MakeRange<T>) {
    this.#make = make;
  }

  /** A new one while the one that is kept is read. */
  for(isReverse: boolean): RangeKept<T> {
    const kept = isReverse
      ? (this.#reverse ??= new RangeKept(this.#make, true))
      : (this.#forward ??= new RangeKept(this.#make, false));
    return kept.isFree ? kept : new RangeKept(this.#make, isReverse);
  }
}
