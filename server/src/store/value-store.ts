import type { Database, GetOptions } from 'lmdb';
import { Problem } from '#base/problem.ts';
import type { KeyRange, ScanVisitor } from './key-value.ts';
import type { ValueSeal } from './value-seal.ts';

export type Store = Database<Uint8Array, Uint8Array>;

/** Called with each entry of a range. Returns false to end. */
export type InspectVisitor = (key: Uint8Array, isDamaged: boolean) => boolean | void;

const NOTHING = new Uint8Array(0);
const APPENDING = { append: true } as const;

/** One database of an environment. All its values are read and written through the seal. */
export class ValueStore {
  /** The LMDB database, which holds the sealed values. */
  readonly stored: Store;
  readonly #db: number;
  readonly #seal: ValueSeal;

  constructor(stored: Store, db: number, seal: ValueSeal) {
    this.stored = stored;
    this.#db = db;
    this.#seal = seal;
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
      return this.#eachKey(range, visit, options);
    }
    this.#each(
      range,
      (key, stored) => visit(key, this.#seal.open(this.#db, key, stored, options)),
      options,
    );
  }

  /** Reads each entry, and tells whether it is damaged, where `scan` would throw. */
  inspect(range: KeyRange, visit: InspectVisitor, options?: GetOptions): void {
    this.#each(range, (key, stored) => visit(key, this.#isDamaged(key, stored, options)), options);
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

  #each({ start, end, reverse }: KeyRange, visit: ScanVisitor, options?: GetOptions): void {
    // For LMDB an empty end means no end; here it means that no key is below it.
    if (end.length === 0) return;
    const range =
      reverse === true
        ? { start: end, exclusiveStart: true, end: start, inclusiveEnd: true, reverse }
        : { start, end };
    const iterator = this.stored.getRange({ ...range, ...options })[Symbol.iterator]();
    for (;;) {
      const next = iterator.next();
      if (next.done === true) return;
      let going = false;
      try {
        const { key, value } = next.value;
        going = visit(key, value) !== false;
      } finally {
        // Returns the cursor, also when the visitor throws.
        if (!going) iterator.return?.();
      }
      if (!going) return;
    }
  }

  #eachKey({ start, end, reverse }: KeyRange, visit: ScanVisitor, options?: GetOptions): void {
    if (end.length === 0) return;
    const range =
      reverse === true
        ? { start: end, exclusiveStart: true, end: start, inclusiveEnd: true, reverse }
        : { start, end };
    for (const key of this.stored.getKeys({ ...range, ...options })) {
      if (visit(key, NOTHING) === false) return;
    }
  }

  countRange({ start, end }: KeyRange, options?: GetOptions): number {
    return end.length === 0 ? 0 : this.stored.getKeysCount({ start, end, ...options });
  }

  /** The number of entries. */
  count(options?: GetOptions): number {
    return this.stored.getCount({ start: new Uint8Array(0), ...options });
  }

  /**
   * Puts an entry, within `writeTransaction`. A value in plain form is not copied, so it must not
   * change until that resolves.
   */
  put(key: Uint8Array, value: Uint8Array): void {
    void this.stored.put(key, this.#seal.seal(this.#db, key, value));
  }

  /** Within `writeTransaction`. */
  remove(key: Uint8Array): void {
    void this.stored.remove(key);
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
