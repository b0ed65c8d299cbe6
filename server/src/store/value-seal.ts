import type { GetOptions } from 'lmdb';
import { Problem } from '#base/problem.ts';
import { DATABASES } from './databases.ts';

/**
 * What an environment has in place of each value. LMDB knows nothing of it, and neither do log and
 * pieces, which have the values themselves; keys are always as they are.
 *
 * - `plain`: the value. So did versions that wrote format 1 and 2, and where those were encrypted
 *   LMDB did it, page by page.
 * - `checked`: the value, and four bytes by which a flipped bit is told: see `checked-values.ts`.
 * - `sealed`: what only the key opens, in its own place alone: see `sealed-values.ts`.
 */
export type ValueForm = 'plain' | 'checked' | 'sealed';

/** Seals the values of one environment. */
export interface ValueSeal {
  readonly form: ValueForm;
  /**
   * What is to be stored; it stays as it is. `value` may be used again once this returns, unless
   * the form is plain.
   */
  seal(db: number, key: Uint8Array, value: Uint8Array): Uint8Array;
  /**
   * The value of what is stored, valid until the next read, as that is. `options` are those it was
   * read with. Throws the problem `storage_corrupt` when it is not what was written there.
   */
  open(db: number, key: Uint8Array, stored: Uint8Array, options?: GetOptions): Uint8Array;
  /** As `open`, for what may be asked for again soon: it may be remembered. */
  openOften(db: number, key: Uint8Array, stored: Uint8Array, options?: GetOptions): Uint8Array;
  /**
   * In each transaction, before the first value is sealed in it. `isAtOnce` within a
   * `transactionSync`.
   */
  begin(isAtOnce: boolean): void;
  /** A transaction that was begun so is there to stay. */
  committed(): void;
}

/** Stands for the database `applied` among the numbers of `DATABASES`. */
export const APPLIED_NUMBER = 255;

export const plainValues: ValueSeal = {
  form: 'plain',
  seal: (_db, _key, value) => value,
  open: (_db, _key, stored) => stored,
  openOften: (_db, _key, stored) => stored,
  begin: () => {},
  committed: () => {},
};

/** Its message is for the log: no client gets it. */
export function valueDamaged(db: number, key: Uint8Array, cause?: unknown): Problem {
  const database = DATABASES.find(({ number }) => number === db)?.name ?? 'applied';
  const place = `${database} under ${Buffer.from(key).toString('hex')}`;
  return new Problem('storage_corrupt', `what is stored in ${place} is not what was written`, {
    hint: 'Check the disk and the memory of this machine, and restore the newest backup into an empty folder.',
    cause,
  });
}
