import fc from 'fast-check';
import { DATABASES } from '../databases.ts';
import type { DatabaseNumber } from '../databases.ts';
import type { KeyValueReader, WriteBatch } from '../key-value.ts';

/** One operation of a made-up commit; without a value it is a delete. */
export interface Operation {
  readonly db: DatabaseNumber;
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

const ALL: readonly DatabaseNumber[] = DATABASES.map(({ number }) => number);
/** Only a few numbers, so that operations often have the same keys and prefixes. */
const byte = fc.constantFrom(0, 1, 2, 127, 128, 255);

/** A key with the prefix that databases with `scanPrefixBytes` have. */
export const anyKey: fc.Arbitrary<Uint8Array> = fc
  .tuple(fc.constantFrom(1, 2), fc.array(byte, { minLength: 1, maxLength: 3 }))
  .map(([prefix, rest]) => Uint8Array.of(0, prefix, 0, 0, prefix, ...rest));

export const anyOperation: fc.Arbitrary<Operation> = fc.record({
  db: fc.constantFrom(...ALL),
  key: anyKey,
  value: fc.option(fc.uint8Array({ maxLength: 12 }), { nil: undefined }),
});

export const anyCommit: fc.Arbitrary<readonly Operation[]> = fc.array(anyOperation, {
  maxLength: 12,
});

export function putAll(
  batch: Pick<WriteBatch, 'put' | 'delete'>,
  operations: readonly Operation[],
): void {
  for (const { db, key, value } of operations) {
    if (value === undefined) batch.delete(db, key);
    else batch.put(db, key, value);
  }
}

/** The state as a test expects it: by database, then by key in hexadecimal. */
export class Model {
  readonly #databases = new Map<DatabaseNumber, Map<string, string>>();

  apply(operations: readonly Operation[]): void {
    for (const { db, key, value } of operations) {
      const database = this.#databases.get(db) ?? new Map<string, string>();
      this.#databases.set(db, database);
      if (value === undefined) database.delete(hex(key));
      else database.set(hex(key), hex(value));
    }
  }

  /** All entries in order, in the form of `contentOf`. */
  content(): string[] {
    return ALL.flatMap((db) => {
      const entries = [...(this.#databases.get(db) ?? [])].toSorted(byKey);
      return entries.map(([key, value]) => `${db} ${key} ${value}`);
    });
  }
}

/** All entries that a reader shows, in order. It scans prefix by prefix. */
export function contentOf(reader: KeyValueReader, databases = ALL): string[] {
  return databases.flatMap((db) =>
    [1, 2].flatMap((prefix) => {
      const start = Uint8Array.of(0, prefix, 0, 0, prefix);
      return scanned(reader, db, { start, end: Uint8Array.of(0, prefix, 0, 0, prefix + 1) });
    }),
  );
}

export function scanned(
  reader: KeyValueReader,
  db: DatabaseNumber,
  range: Parameters<KeyValueReader['scan']>[1],
): string[] {
  const found: string[] = [];
  reader.scan(db, range, (key, value) => void found.push(`${db} ${hex(key)} ${hex(value)}`));
  return found;
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

export function utf8(text: string): Uint8Array {
  return Buffer.from(text);
}

function byKey([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return a < b ? -1 : 1;
}
