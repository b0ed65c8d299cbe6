import type { DatabaseNumber } from './databases.ts';
import type { KeyRange, KeyValueReader } from './key-value.ts';

/** Puts an entry, or removes it when the value is undefined. */
export type PutLocal = (db: DatabaseNumber, key: Uint8Array, value: Uint8Array | undefined) => void;

/** Tells of commits that change rows which are not packed yet: nothing notes those. */
export interface RowWatch {
  /** Whether one has come since the watch began. */
  readonly isTouched: boolean;
}

/**
 * For who keeps something beside the log in the state: see `LOCAL_DATABASES`. Only the thread that
 * writes has it.
 */
export interface LocalState {
  /** Reads the newest applied commit. */
  readonly reader: KeyValueReader;
  /** The newest applied sequence. */
  readonly sequence: number;
  /** The key that has so many keys before it in a range. LMDB passes over those; opens no value. */
  keyAt(db: DatabaseNumber, range: KeyRange, place: number): Uint8Array | undefined;
  /** How many ids were noted in `rowChanges` since the rows were packed. */
  readonly notedIds: number;
  /** Watches the ids from `RowState.packedIds` up to this one, in place of the watch before. */
  watch(endId: number): RowWatch;
  /** Whether a commit is on its way. */
  readonly isBusy: boolean;
  /**
   * Writes entries of local databases in one transaction, between commits. What `put` reads is the
   * newest commit. Rejects with `storage_full`, also while there is room for commits, or
   * `storage_failed`, or with what `put` throws; then nothing is written. Values must not change
   * until it resolves.
   */
  write(put: (put: PutLocal) => void): Promise<void>;
}
