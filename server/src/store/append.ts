import { TransactionFlags } from 'lmdb';
import { assert, AssertionError, must } from '#base/assert.ts';
import { readPlaces } from './batch.ts';
import type { DatabaseNumber } from './databases.ts';
import type { Environment } from './environment.ts';
import { KeyScratch } from './key-scratch.ts';
import { storageProblem } from './storage-problem.ts';

export interface Appended {
  readonly entries: number;
  /** Whether every key was above all that the database had. */
  readonly isInOrder: boolean;
}

/** Nobody waits for the disk in between: closing the environment flushes all of it. */
const { ABORTABLE, SYNCHRONOUS_COMMIT, NO_SYNC_FLUSH } = TransactionFlags;
const FLUSHED_LATER = ABORTABLE | SYNCHRONOUS_COMMIT | NO_SYNC_FLUSH;
/** Longer values are not copied: a view of their own costs less. */
const COPIED_BYTES_MAX = 64;

/**
 * Puts the entries of a payload behind those of a database, in one transaction of the calling thread, which does nothing else
 * meanwhile. For a whole state that is half the work of `writeTransaction`: there are no objects for each put by which another
 * thread is told of it, and LMDB need not look for the place of a key. It is LMDB that compares the keys.
 *
 * It is durable once the environment was closed. Throws an assertion when there is something else in the payload than puts into the database, and the problems `storage_full` and
 * `storage_failed`; what was put is gone then.
 */
export function appendTransaction(
  environment: Environment,
  db: DatabaseNumber,
  payload: Uint8Array,
): Appended {
  const store = must(environment.stores[db], `database ${db}`);
  const keys = new KeyScratch();
  const values = new ValueScratch(payload);
  let entries = 0;
  let isInOrder = true;
  try {
    environment.root.transactionSync(() => {
      environment.seal.begin(true);
      readPlaces(payload, (number, keyStart, keyEnd, valueStart, valueEnd) => {
        assert(number === db && valueStart >= 0, 'another operation than a put');
        const key = keys.copy(payload, keyStart, keyEnd);
        const value = values.take(valueStart, valueEnd);
        const isAppended = store.append(key, value);
        isInOrder &&= isAppended;
        entries++;
      });
    }, FLUSHED_LATER);
  } catch (error) {
    if (error instanceof AssertionError) throw error;
    throw storageProblem('writing in', environment.path, error);
  }
  environment.seal.committed();
  return { entries, isInOrder };
}

/** Values of a payload for puts that take them at once: the short ones in one buffer, one view of it for each length. */
class ValueScratch {
  readonly #payload: Uint8Array;
  readonly #bytes = new Uint8Array(COPIED_BYTES_MAX);
  readonly #views: Uint8Array[] = [];

  constructor(payload: Uint8Array) {
    this.#payload = payload;
  }

  take(start: number, end: number): Uint8Array {
    const length = end - start;
    const { buffer, byteOffset } = this.#payload;
    if (length > COPIED_BYTES_MAX) return new Uint8Array(buffer, byteOffset + start, length);
    for (let i = 0; i < length; i++) this.#bytes[i] = this.#payload[start + i]!;
    return (this.#views[length] ??= this.#bytes.subarray(0, length));
  }
}
