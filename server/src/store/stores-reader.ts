import type { GetOptions } from 'lmdb';
import { must } from '#base/assert.ts';
import { DB, type DatabaseNumber, LOCAL_DATABASES } from './databases.ts';
import { countByBlocks } from './entry-blocks.ts';
import type { KeyRange, KeyValueReader, ScanVisitor } from './key-value.ts';
import type { InspectVisitor, ValueStore } from './value-store.ts';

const LOCAL: ReadonlySet<DatabaseNumber> = new Set(LOCAL_DATABASES.map(({ number }) => number));

/**
 * Reads the stores of environments. Each is read in the transaction that is given for it, or else
 * in the one that lmdb-js keeps.
 */
export class StoresReader implements KeyValueReader {
  readonly #stores: readonly (ValueStore | undefined)[];
  readonly #options: readonly (GetOptions | undefined)[];

  /** Both arrays are by database number. */
  constructor(
    stores: readonly (ValueStore | undefined)[],
    options: readonly (GetOptions | undefined)[] = [],
  ) {
    this.#stores = stores;
    this.#options = options;
  }

  get(db: DatabaseNumber, key: Uint8Array): Uint8Array | undefined {
    const store = this.#stores[db];
    // A store that only older versions have written lacks local databases.
    if (store === undefined && LOCAL.has(db)) return undefined;
    return this.#store(db).get(key, this.#options[db]);
  }

  has(db: DatabaseNumber, key: Uint8Array): boolean {
    return this.#store(db).has(key, this.#options[db]);
  }

  scan(db: DatabaseNumber, range: KeyRange, visit: ScanVisitor): void {
    this.#store(db).scan(range, visit, this.#options[db]);
  }

  countRange(db: DatabaseNumber, range: KeyRange): number {
    const entries = this.#store(db);
    const options = this.#options[db];
    const blocks = db === DB.indexes ? this.#stores[DB.entryBlocks] : undefined;
    return blocks === undefined
      ? entries.countRange(range, options)
      : countByBlocks({ entries, blocks, options }, range);
  }

  /** As `scan`, to look for damage. */
  inspect(db: DatabaseNumber, range: KeyRange, visit: InspectVisitor): void {
    this.#store(db).inspect(range, visit, this.#options[db]);
  }

  /** How many entries a database has. */
  count(db: DatabaseNumber): number {
    return this.#store(db).count(this.#options[db]);
  }

  #store(db: DatabaseNumber): ValueStore {
    return must(this.#stores[db], `database ${db} in this reader`);
  }
}
