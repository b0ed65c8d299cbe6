import type { GetOptions } from 'lmdb';
import { Problem } from '#base/problem.ts';
import { copyBytes } from './bytes.ts';
import { DATABASES, type DatabaseNumber } from './databases.ts';
import type { KeyValueReader } from './key-value.ts';

/**
 * The form in which an environment stores its values. LMDB does not know about it. Log and pieces
 * hold the values themselves. Keys are always stored as they are.
 *
 * - `plain`: the value itself. Versions that wrote formats 1 and 2 stored it; LMDB encrypted their
 *   pages where the store was encrypted.
 * - `checked`: the value and four bytes that detect a flipped bit: see `checked-values.ts`.
 * - `sealed`: encrypted; it can be opened only with the key, and only under its own database and
 *   key: see `sealed-values.ts`.
 */
export type ValueForm = 'plain' | 'checked' | 'sealed';

/** No form adds more to a value. */
export const SEAL_BYTES_MAX = 32;

/** Seals the values of one environment. */
export interface ValueSeal {
  readonly form: ValueForm;
  /**
   * The bytes to store, which do not change later. The caller may use `value` again once this
   * returns, unless the form is plain.
   */
  seal(db: number, key: Uint8Array, value: Uint8Array): Uint8Array;
  /**
   * The same for the value that lies in `bytes` right behind its key, from `keyEnd` to `valueEnd`.
   * Writes the bytes to store into `to`, which has room for `SEAL_BYTES_MAX` more than the value,
   * and returns how many they are.
   */
  sealInto(
    db: number,
    bytes: Uint8Array,
    keyStart: number,
    keyEnd: number,
    valueEnd: number,
    to: Uint8Array,
    at: number,
  ): number;
  /**
   * The value from its stored bytes. It is valid until the next read, as those are. `options` are
   * the options of that read. Throws the problem `storage_corrupt` when the bytes are not what was
   * written there.
   */
  open(db: number, key: Uint8Array, stored: Uint8Array, options?: GetOptions): Uint8Array;
  /** As `open`, for values that may be read again soon: they may be cached. */
  openOften(db: number, key: Uint8Array, stored: Uint8Array, options?: GetOptions): Uint8Array;
  /**
   * Called in each transaction, before its first value is sealed. `isAtOnce` is true within a
   * `transactionSync`.
   */
  begin(isAtOnce: boolean): void;
  /** Called when a transaction that began with `begin` is committed. */
  committed(): void;
}

/** Stands for the database `applied` among the numbers of `DATABASES`. */
export const APPLIED_NUMBER = 255;

export const plainValues: ValueSeal = {
  form: 'plain',
  seal: (_db, _key, value) => value,
  sealInto: (_db, bytes, _keyStart, keyEnd, valueEnd, to, at) => {
    copyBytes(bytes, keyEnd, valueEnd, to, at);
    return valueEnd - keyEnd;
  },
  open: (_db, _key, stored) => stored,
  openOften: (_db, _key, stored) => stored,
  begin: () => {},
  committed: () => {},
};

/** The problem of a damaged value. Its message is for the log; clients do not get it. */
export function valueDamaged(db: number, key: Uint8Array, cause?: unknown): Problem {
  const database = DATABASES.find(({ number }) => number === db)?.name ?? 'applied';
  const place = `${database} under ${Buffer.from(key).toString('hex')}`;
  return new Problem('storage_corrupt', `what is stored in ${place} is not what was written`, {
    hint: 'Check the disk and the memory of this machine, and restore the newest backup into an empty folder.',
    cause,
  });
}

/** Whether reading failed because a value is damaged. */
export function isDamage(error: unknown): boolean {
  return error instanceof Problem && error.code === 'storage_corrupt';
}

/**
 * A value; undefined also where it is damaged. For what is made from other data: it is made again.
 */
export function readUnlessDamaged(
  reader: KeyValueReader,
  db: DatabaseNumber,
  key: Uint8Array,
): Uint8Array | undefined {
  try {
    return reader.get(db, key);
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}
