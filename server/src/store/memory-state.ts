import { assert } from '#base/assert.ts';
import { BatchEncoder } from './batch.ts';
import type { DatabaseNumber } from './databases.ts';
import type {
  HeldState,
  KeyRange,
  ScanVisitor,
  SnapshotReader,
  StateWriter,
  TurnHolder,
  WriteBatch,
} from './key-value.ts';

/**
 * A state in memory, without a log and without files. It is writer, view and reader in one, and a
 * commit is visible as soon as `commit` has returned. It is meant for some thousands of nodes: each
 * new key moves all keys after it.
 */
export class MemoryState implements StateWriter, SnapshotReader, TurnHolder {
  readonly #tables: SortedTable[] = [];
  #sequence = 0;
  #isBuilding = false;

  get view(): this {
    return this;
  }

  get sequence(): number {
    return this.#sequence;
  }

  refresh(): number {
    return this.#sequence;
  }

  get(db: DatabaseNumber, key: Uint8Array): Uint8Array | undefined {
    return this.#table(db).get(key);
  }

  has(db: DatabaseNumber, key: Uint8Array): boolean {
    return this.get(db, key) !== undefined;
  }

  scan(db: DatabaseNumber, range: KeyRange, visit: ScanVisitor): void {
    this.#table(db).scan(range, visit);
  }

  countRange(db: DatabaseNumber, range: KeyRange): number {
    return this.#table(db).count(range);
  }

  async commit<T>(
    build: (batch: WriteBatch) => T,
  ): Promise<{ readonly result: T; readonly sequence: number }> {
    assert(!this.#isBuilding, 'a commit within the construction of another');
    this.#isBuilding = true;
    const batch = new MemoryBatch((db) => this.#table(db), this.#sequence + 1);
    try {
      const result = build(batch);
      this.#sequence += batch.count;
      return { result, sequence: this.#sequence };
    } catch (error) {
      batch.undo();
      throw error;
    } finally {
      this.#isBuilding = false;
    }
  }

  async ready(): Promise<void> {}

  holdTurn(): HeldState {
    const tables = this.#tables.map((table) => table.hold());
    const tableOf = (db: DatabaseNumber): SortedTable => (tables[db] ??= new SortedTable());
    return {
      sequence: this.#sequence,
      get: (db, key) => tableOf(db).get(key),
      has: (db, key) => tableOf(db).get(key) !== undefined,
      scan: (db, range, visit) => tableOf(db).scan(range, visit),
      countRange: (db, range) => tableOf(db).count(range),
      [Symbol.dispose]: () => undefined,
    };
  }

  [Symbol.dispose](): void {
    this.#tables.length = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this[Symbol.dispose]();
  }

  #table(db: DatabaseNumber): SortedTable {
    return (this.#tables[db] ??= new SortedTable());
  }
}

/** Writes at once, and can undo what it wrote. */
class MemoryBatch implements WriteBatch {
  readonly #tableOf: (db: DatabaseNumber) => SortedTable;
  readonly #firstSequence: number;
  readonly #encoder = new BatchEncoder();
  readonly #before: {
    readonly table: SortedTable;
    readonly key: Uint8Array;
    readonly value: Uint8Array | undefined;
  }[] = [];

  constructor(tableOf: (db: DatabaseNumber) => SortedTable, firstSequence: number) {
    this.#tableOf = tableOf;
    this.#firstSequence = firstSequence;
  }

  get count(): number {
    return this.#before.length;
  }

  get nextSequence(): number {
    return this.#firstSequence + this.count;
  }

  get payload(): Uint8Array {
    return this.#encoder.payload;
  }

  put(db: DatabaseNumber, key: Uint8Array, value: Uint8Array): void {
    this.#encoder.put(db, key, value);
    this.#write(db, key, new Uint8Array(value));
  }

  delete(db: DatabaseNumber, key: Uint8Array): void {
    this.#encoder.delete(db, key);
    this.#write(db, key, undefined);
  }

  undo(): void {
    for (const { table, key, value } of this.#before.toReversed()) table.set(key, value);
  }

  #write(db: DatabaseNumber, key: Uint8Array, value: Uint8Array | undefined): void {
    const table = this.#tableOf(db);
    // The caller may use the bytes of the key again.
    const own = new Uint8Array(key);
    this.#before.push({ table, key: own, value: table.get(own) });
    table.set(own, value);
  }
}

/** Entries in the order of their keys. Neither keys nor values are ever changed in place. */
class SortedTable {
  #keys: Uint8Array[] = [];
  #values: Uint8Array[] = [];
  #scans = 0;
  #isHeld = false;

  /** A table that stays as this one is now. */
  hold(): SortedTable {
    const held = new SortedTable();
    held.#keys = this.#keys;
    held.#values = this.#values;
    held.#isHeld = true;
    this.#isHeld = true;
    return held;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const at = this.#placeOf(key);
    return this.#isAt(at, key) ? this.#values[at] : undefined;
  }

  /** Sets a value; undefined removes the entry. */
  set(key: Uint8Array, value: Uint8Array | undefined): void {
    const at = this.#placeOf(key);
    const found = this.#isAt(at, key) ? 1 : 0;
    // A scan continues with the entries that it began with.
    if (this.#scans > 0 || this.#isHeld) {
      this.#isHeld = false;
      this.#keys = this.#keys.slice();
      this.#values = this.#values.slice();
    }
    if (value === undefined) {
      this.#keys.splice(at, found);
      this.#values.splice(at, found);
    } else {
      this.#keys.splice(at, found, key);
      this.#values.splice(at, found, value);
    }
  }

  scan({ start, end, reverse }: KeyRange, visit: ScanVisitor): void {
    const first = this.#placeOf(start);
    const behind = this.#placeOf(end);
    const keys = this.#keys;
    const values = this.#values;
    this.#scans++;
    try {
      for (let i = 0; i < behind - first; i++) {
        const at = reverse === true ? behind - 1 - i : first + i;
        if (visit(keys[at]!, values[at]!) === false) return;
      }
    } finally {
      this.#scans--;
    }
  }

  count({ start, end }: KeyRange): number {
    return Math.max(0, this.#placeOf(end) - this.#placeOf(start));
  }

  /** The index of the first key that is not below this one. */
  #placeOf(key: Uint8Array): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (Buffer.compare(this.#keys[middle]!, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #isAt(at: number, key: Uint8Array): boolean {
    const found = this.#keys[at];
    return found !== undefined && Buffer.compare(found, key) === 0;
  }
}
