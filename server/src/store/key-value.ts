import type { DatabaseNumber } from './databases.ts';

/**
 * Ordered key-value state as every reader sees it. Keys compare as unsigned bytes.
 *
 * One JavaScript turn sees one commit boundary: a reader never shows half a commit. `refresh` moves
 * on to the newest one. Bytes that are handed out are valid until the next call on any reader of
 * the same thread: copy or decode at once.
 */
export interface KeyValueReader {
  get(db: DatabaseNumber, key: Uint8Array): Uint8Array | undefined;
  has(db: DatabaseNumber, key: Uint8Array): boolean;
  /**
   * Visits entries with `start <= key < end` in order (from the end when `reverse`), until `visit`
   * returns false. `visit` must not call the same reader.
   */
  scan(db: DatabaseNumber, range: KeyRange, visit: ScanVisitor): void;
  /** How many entries a range has; about 30 million a second where LMDB counts them. */
  countRange(db: DatabaseNumber, range: KeyRange): number;
}

/** The bytes are views, valid until it returns. Answers false to end the scan. */
export type ScanVisitor = (key: Uint8Array, value: Uint8Array) => boolean | void;

export interface KeyRange {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  readonly reverse?: boolean;
  /**
   * The visitor does not look at the values, which need not be what is stored then: to open a
   * sealed one takes ten times as long as to read it.
   */
  readonly keysOnly?: boolean;
}

/** A reader of committed state, in any thread. */
export interface SnapshotReader extends KeyValueReader, Disposable {
  /** Moves to the newest applied commit and answers its sequence. */
  refresh(): number;
  /** The sequence that this reader's state reflects: everything up to it, nothing after it. */
  readonly sequence: number;
}

/**
 * One commit under construction. Puts and deletes, in order, are encoded at once into the payload
 * of the log record: see `batch.ts` for the layout. Each takes one sequence number.
 */
export interface WriteBatch {
  put(db: DatabaseNumber, key: Uint8Array, value: Uint8Array): void;
  delete(db: DatabaseNumber, key: Uint8Array): void;
  readonly count: number;
  /** The sequence number of the operation that is put or deleted next. */
  readonly nextSequence: number;
}

/**
 * The one writer (design, section 5, "A write"). A commit is built synchronously against `view`,
 * which shows the state with every commit that was submitted before, whether applied yet or not; so
 * there is nothing to lock.
 */
export interface StateWriter extends AsyncDisposable {
  readonly view: KeyValueReader;
  /**
   * `build` puts its operations into the batch and may read them back through `view`. When it
   * throws, nothing has happened. Otherwise the commit is appended to the log, synced in a group,
   * applied in a group, and the promise resolves with the build's own result and the sequence of
   * its last operation. A build without operations resolves with the newest sequence.
   */
  commit<T>(
    build: (batch: WriteBatch) => T,
  ): Promise<{ readonly result: T; readonly sequence: number }>;
  /**
   * Resolves when the commits in flight are few enough for more to be built: bounds the memory of a
   * stream.
   */
  ready(): Promise<void>;
  /** The newest applied sequence. */
  readonly sequence: number;
}
