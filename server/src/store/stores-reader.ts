import type { GetOptions } from 'lmdb';
import { must } from '#base/assert.ts';
import type { DatabaseNumber } from './databases.ts';
import type { Store } from './environment.ts';
import type { KeyRange, KeyValueReader, ScanVisitor } from './key-value.ts';

/** Reads the stores of environments, each in the transaction that is given for it, or else in the one that lmdb-js keeps. */
export class StoresReader implements KeyValueReader {
  readonly #stores: readonly (Store | undefined)[];
  readonly #options: readonly (GetOptions | undefined)[];

  /** Both by database number. */
  constructor(
    stores: readonly (Store | undefined)[],
    options: readonly (GetOptions | undefined)[] = [],
  ) {
    this.#stores = stores;
    this.#options = options;
  }

  get(db: DatabaseNumber, key: Uint8Array): Uint8Array | undefined {
    return this.#store(db).get(key, this.#options[db]);
  }

  has(db: DatabaseNumber, key: Uint8Array): boolean {
    return this.#store(db).get(key, this.#options[db]) !== undefined;
  }

  scan(db: DatabaseNumber, { start, end, reverse }: KeyRange, visit: ScanVisitor): void {
    // To LMDB an empty end means that there is none; to us no key is below it.
    if (end.length === 0) return;
    const range =
      reverse === true
        ? { start: end, exclusiveStart: true, end: start, inclusiveEnd: true, reverse }
        : { start, end };
    const entries = this.#store(db).getRange({ ...range, ...this.#options[db] });
    const iterator = entries[Symbol.iterator]();
    for (;;) {
      const next = iterator.next();
      if (next.done === true) return;
      let going = false;
      try {
        going = visit(next.value.key, next.value.value) !== false;
      } finally {
        // Gives the cursor back; also when the visitor throws.
        if (!going) iterator.return?.();
      }
      if (!going) return;
    }
  }

  /** How many entries a database has. */
  count(db: DatabaseNumber): number {
    return this.#store(db).getCount({ start: new Uint8Array(0), ...this.#options[db] });
  }

  #store(db: DatabaseNumber): Store {
    return must(this.#stores[db], `database ${db} in this reader`);
  }
}
