import type { DatabaseNumber } from './databases.ts';

/**
 * Ordered key-value state as every reader sees it. Keys compare as unsigned bytes.
 *
 * All reads of one JavaScript turn show the same commit boundary: a reader never shows half a
 * commit. `refresh` moves to the newest one. Returned bytes are valid until the next call on any
 * reader of the same thread: copy or decode them at once.
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

/** Gets views that are valid until it returns. Returns false to end the scan. */
export type ScanVisitor = (key: Uint8Array, value: Uint8Array) => boolean | void;

export interface KeyRange {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  readonly reverse?: boolean;
  /**
   * True when the visitor does not use the values. Then it may get other bytes than the stored
   * values, since to open a sealed value takes ten times as long as to read it.
   */
  readonly keysOnly?: boolean;
}

/** A reader of committed state, in any thread. */
export interface SnapshotReader extends KeyValueReader, Disposable {
  /** Moves to the newest applied commit. Returns its sequence. */
  refresh(): number;
  /** The sequence that this reader's state reflects: everything up to it, nothing after it. */
  readonly sequence: number;
}

/** A state at one commit, unchanged until it is disposed, whatever is written meanwhile. */
export interface HeldState extends KeyValueReader, Disposable {
  readonly sequence: number;
}

/** A reader whose present commit can be read in later turns, too. */
export interface TurnHolder {
  /**
   * Holds the commit that the reads of this turn of the event loop show. What LMDB has of it cannot
   * be reused meanwhile, so its file grows with what is written.
   */
  holdTurn(): HeldState;
}

/**
 * One commit under construction. Puts and deletes, in order, are encoded at once into the payload
 * of the log record: see `batch.ts` for the layout. Each takes one sequence number.
 */
export interface WriteBatch {
  put(db: DatabaseNumber, key: Uint8Array, value: Uint8Array): void;
  delete(db: DatabaseNumber, key: Uint8Array): void;
  readonly count: number;
  /** All of it so far, as the log has it: see `batch.ts`. */
  readonly payload: Uint8Array;
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
   * throws, nothing changes. Otherwise the commit is appended to the log, synced in a group and
   * applied in a group. The promise resolves with the result of `build` and the sequence of the
   * last operation. When `build` puts no operation, that is the newest sequence.
   */
  commit<T>(
    build: (batch: WriteBatch) => T,
  ): Promise<{ readonly result: T; readonly sequence: number }>;
  /**
   * Resolves when there are few enough commits in flight to build more. It bounds the memory that a
   * stream takes.
   */
  ready(): Promise<void>;
  /** The newest applied sequence. */
  readonly sequence: number;
}
