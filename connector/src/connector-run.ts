import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import type { GraphOperation } from '@trellis/contract/shapes/graph-operation.ts';
import { hash } from 'node:crypto';
import { ConnectorError } from './connector-error.ts';
import type { ConnectorState } from './connector-state.ts';
import { effectsOf } from './effects.ts';
import type { RowAccess } from './row-access.ts';
import type { RowChange, RowCommitter } from './row-committer.ts';

export interface RowCounts {
  /** Given to the run. */
  rows: number;
  /** How many of these were not sent, as they are what was sent before. */
  unchanged: number;
}

export interface ConnectorRunOptions {
  readonly state: ConnectorState;
  readonly committer: RowCommitter;
  readonly run: number;
  readonly batchOperations: number;
  readonly removedShareMax: number;
  readonly signal: AbortSignal | undefined;
  readonly onCommit: () => void;
}

interface Gathered {
  readonly change: RowChange;
  readonly operations: number;
}

/** Rows that are unchanged are kept in mind up to this many, as they cost no operation. */
const BATCH_ROWS_MAX = 10_000;
const HASH_BYTES = 16;

/** What a connector tells about its source in one run. `Cursor` is anything that survives JSON. */
export class ConnectorRun<Cursor> {
  /**
   * What the last `checkpoint` of this run or an earlier one was given; `undefined` when all is to
   * be read.
   */
  cursor: Cursor | undefined;
  readonly counts: RowCounts = { rows: 0, unchanged: 0 };
  readonly #options: ConnectorRunOptions;
  /** By id: of a row that is given again the last counts. */
  readonly #batch = new Map<string, Gathered>();
  #batchOperations = 0;
  /** The commit before the one that is being gathered. */
  #committing: Promise<void> = Promise.resolve();

  constructor(options: ConnectorRunOptions) {
    this.#options = options;
    this.cursor = options.state.get<Cursor>('cursor');
  }

  /**
   * Gives a row of the source as it is now, with the operations that it becomes; they are committed
   * together. They are sent only when they differ from those of an earlier run. What they created
   * then and no row creates now is removed at the next checkpoint, or at the end of the run. `id`
   * identifies the row in the source and never changes. If a run gives a row several times, the
   * last one counts; the earlier ones may be sent as well, in every run. `access` is remembered, to
   * be compared with who may see the node in the workspace.
   */
  async row(id: string, operations: readonly GraphOperation[], access?: RowAccess): Promise<void> {
    this.#options.signal?.throwIfAborted();
    if (operations.length > INGEST_COMMIT_OPERATIONS_MAX) throw rowTooLarge(id, operations.length);
    this.counts.rows++;
    const digest = rowHash(operations);
    if (this.#options.state.hasHash(id, digest)) {
      this.counts.unchanged++;
      await this.#gather({ kind: 'seen', id, access }, 0);
    } else {
      const effects = effectsOf(operations);
      const change = { kind: 'put', id, operations, hash: digest, effects, access } as const;
      await this.#gather(change, operations.length);
    }
  }

  /**
   * Whether `row` would send nothing; for what is costly to bring besides the graph, such as files.
   */
  isUnchanged(id: string, operations: readonly GraphOperation[]): boolean {
    return this.#options.state.hasHash(id, rowHash(operations));
  }

  /**
   * The source says that the row is gone: what only it brought is taken back. A row that was never
   * given changes nothing.
   */
  async remove(id: string): Promise<void> {
    this.#options.signal?.throwIfAborted();
    await this.#gather({ kind: 'remove', id }, 0);
  }

  /**
   * After a run that listed the whole source: rows of earlier runs that were not given to this one
   * are gone. Throws `too_many_removals`, with nothing taken back, when these are more than the
   * allowed share.
   */
  async removeUnseen(): Promise<void> {
    await this.commit();
    const { state, run } = this.#options;
    this.checkRemovals(state.countUnseen(run), state.countRows());
    for (;;) {
      const ids = state.unseen(run, BATCH_ROWS_MAX);
      if (ids.length === 0) return;
      for (const id of ids) await this.remove(id);
      await this.commit();
    }
  }

  /** Keeps the cursor for the next run, once every row given before is committed. */
  async checkpoint(cursor: Cursor): Promise<void> {
    await this.commit();
    this.#options.state.set('cursor', cursor);
    this.cursor = cursor;
  }

  /** The workspace says what the rows given before say, when this resolves. */
  async commit(): Promise<void> {
    await this.#startCommit();
    this.#goOnWith(this.#committing.then(() => this.#options.committer.takeBack()));
    await this.#committing;
  }

  /** The commit that is under way, whatever becomes of it: nothing may touch the state before. */
  async settle(): Promise<void> {
    await this.#committing.catch(() => {});
  }

  async #gather(change: RowChange, operations: number): Promise<void> {
    this.#forgetFormer(change.id);
    if (this.#batchOperations + operations > INGEST_COMMIT_OPERATIONS_MAX)
      await this.#startCommit();
    this.#batch.set(change.id, { change, operations });
    this.#batchOperations += operations;
    const isFull =
      this.#batchOperations >= this.#options.batchOperations || this.#batch.size >= BATCH_ROWS_MAX;
    if (isFull) await this.#startCommit();
  }

  /** What was gathered of the row before: it was never sent, and is not said any more. */
  #forgetFormer(id: string): void {
    const former = this.#batch.get(id);
    if (former === undefined) return;
    this.#batch.delete(id);
    this.#batchOperations -= former.operations;
  }

  /**
   * Resolves when the commit before is done: one is under way while the next is gathered, and no
   * more.
   */
  async #startCommit(): Promise<void> {
    for (let awaited; awaited !== this.#committing;) {
      awaited = this.#committing;
      await awaited;
    }
    if (this.#batch.size === 0) return;
    const batch = [...this.#batch.values()].map(({ change }) => change);
    this.#batch.clear();
    this.#batchOperations = 0;
    this.#goOnWith(this.#options.committer.commit(batch).then(this.#options.onCommit));
  }

  /** Whoever comes next is told of its failure; until then it is nobody's. */
  #goOnWith(committing: Promise<void>): void {
    this.#committing = committing;
    committing.catch(() => {});
  }

  /**
   * For a source that tells by itself which rows are gone: throws `too_many_removals` when these
   * are more than the allowed share.
   */
  checkRemovals(unseen: number, rows: number): void {
    const { removedShareMax } = this.#options;
    if (unseen <= rows * removedShareMax) return;
    throw new ConnectorError(
      'too_many_removals',
      `${unseen} of ${rows} rows are missing in the source, more than the allowed share of ${removedShareMax}`,
    );
  }
}

function rowHash(operations: readonly GraphOperation[]): Uint8Array {
  const digest = hash('sha256', JSON.stringify(operations), 'buffer');
  return digest.subarray(0, HASH_BYTES);
}

function rowTooLarge(id: string, count: number): ConnectorError {
  const message = `Row ${id} became ${count} operations; one commit holds ${INGEST_COMMIT_OPERATIONS_MAX}`;
  return new ConnectorError('row_too_large', message, { row: id });
}
