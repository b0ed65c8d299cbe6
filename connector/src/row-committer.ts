import { pause } from '@trellis/client/transport.ts';
import { TrellisError } from '@trellis/client/trellis-error.ts';
import type { GraphOperation, IngestSummary } from '@trellis/contract/shapes/graph-operation.ts';
import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import type { ConnectorClient } from './connector-client.ts';
import { ConnectorError } from './connector-error.ts';
import type { ConnectorState } from './connector-state.ts';
import { operationOf, type Effect } from './effects.ts';
import type { RowAccess } from './row-access.ts';

/** What is to be done about one row of the source. */
export type RowChange =
  | {
      readonly kind: 'put';
      readonly id: string;
      readonly operations: readonly GraphOperation[];
      readonly hash: Uint8Array;
      readonly effects: readonly Effect[];
      readonly access?: RowAccess | undefined;
    }
  | { readonly kind: 'seen'; readonly id: string; readonly access?: RowAccess | undefined }
  | { readonly kind: 'remove'; readonly id: string };

/** A row that the workspace refused, and why. */
export interface RejectedRow {
  readonly row: string;
  /** A code of the workspace's catalogue of errors. */
  readonly code: string;
  readonly message: string;
}

/** A row of which the workspace now says something else. */
export interface ChangedRow {
  readonly row: string;
  readonly change: 'added' | 'changed' | 'removed';
}

interface RowRefusal {
  readonly rejected: RejectedRow;
  readonly error: TrellisError;
}

export interface CommitCounts {
  /** Rows that no run has sent before, and those that were sent with other operations. */
  added: number;
  changed: number;
  /** Rows of earlier runs that are gone, with what they had brought. */
  removed: number;
  /**
   * Nodes of rows that are gone which the workspace had merged with others: each was split off, and
   * the others stay.
   */
  splits: number;
  operations: number;
  commits: number;
  /** Sequence of the workspace at the last commit; 0 before the first. */
  sequence: number;
}

export interface CommitOptions {
  readonly client: Pick<ConnectorClient, 'graph'>;
  readonly state: ConnectorState;
  /** The number of this run. */
  readonly run: number;
  readonly dryRun: boolean;
  readonly signal: AbortSignal | undefined;
  /** A row that is rejected is left out and told of here; without it the run stops. */
  readonly onRejected: ((row: RejectedRow) => void) | undefined;
  /** Told of each row that is added, changed or removed, once that is committed. */
  readonly onChanged: (row: ChangedRow) => void;
}

/** Tries of one commit beyond the first, each after twice the pause: about two minutes in all. */
const RETRIES_MAX = 7;
const PAUSE_MS = 1_000;
/** The workspace, or what stands before it, may answer otherwise next time. */
const PASSING_STATUSES: readonly number[] = [0, 502, 503, 504];

/**
 * Sends changed rows: what is about to be sent is written into the state before, and that it was
 * sent after. So what a crash leaves open is sent again, or taken back if the source has changed
 * its mind.
 */
export class RowCommitter {
  readonly counts: CommitCounts = {
    added: 0,
    changed: 0,
    removed: 0,
    splits: 0,
    operations: 0,
    commits: 0,
    sequence: 0,
  };
  readonly #options: CommitOptions;

  constructor(options: CommitOptions) {
    this.#options = options;
  }

  /** In one atomic commit. A rejected row is left as it was, and so is what it brought before. */
  async commit(changes: readonly RowChange[]): Promise<void> {
    const { onRejected } = this.#options;
    for (let left = changes; ;) {
      const refusal = await this.#tryCommit(left);
      if (refusal === undefined) return;
      const { rejected, error } = refusal;
      if (onRejected === undefined) throw rowRejected(rejected, error);
      onRejected(rejected);
      left = left.map((change) =>
        change.id === rejected.row ? { kind: 'seen', id: change.id } : change,
      );
    }
  }

  /**
   * Takes back what rows brought once and no row brings now. Not row by row: what moves from one
   * row to another in a run must not go and come again, as the edges of a node go with it.
   */
  async takeBack(): Promise<void> {
    const { state } = this.#options;
    for (;;) {
      state.begin();
      try {
        const gone = state.takeGone(INGEST_COMMIT_OPERATIONS_MAX);
        await this.#send(gone.map(operationOf));
        if (gone.length < INGEST_COMMIT_OPERATIONS_MAX) return;
      } catch (error) {
        state.discard();
        throw error;
      }
    }
  }

  async #tryCommit(changes: readonly RowChange[]): Promise<RowRefusal | undefined> {
    const { state } = this.#options;
    const undone = this.#announce(changes);
    state.begin();
    const { operations, owners, changed } = this.#apply(changes);
    try {
      await this.#send(operations);
      for (const row of changed) {
        this.counts[row.change]++;
        this.#options.onChanged(row);
      }
      return undefined;
    } catch (error) {
      state.discard();
      if (!isRefusal(error)) throw error;
      state.forgetGone(undone);
      const rejected = rejectedRow(error, owners);
      if (rejected === undefined) throw error;
      return { rejected, error };
    }
  }

  /** Gives what is to be forgotten when nothing of it is done. */
  #announce(changes: readonly RowChange[]): Effect[] {
    const { state } = this.#options;
    state.begin();
    const effects = changes.flatMap((change) => {
      if (change.kind !== 'put') return [];
      state.forgetHash(change.id);
      return change.effects;
    });
    const added = state.addGone(effects);
    state.keep();
    return added;
  }

  /** Writes the rows into the state. */
  #apply(changes: readonly RowChange[]) {
    const { state, run } = this.#options;
    const operations: GraphOperation[] = [];
    /** The row of each operation. */
    const owners: string[] = [];
    const changed: ChangedRow[] = [];
    for (const change of changes) {
      if (change.kind === 'seen') {
        state.markSeen(change.id, run);
        if (change.access !== undefined) state.putAccess(change.id, change.access);
      } else if (change.kind === 'remove') {
        if (state.deleteRow(change.id)) changed.push({ row: change.id, change: 'removed' });
      } else {
        const { id, hash, effects, access } = change;
        changed.push({ row: id, change: state.hasRow(id) ? 'changed' : 'added' });
        state.putRow(id, { hash, run, effects });
        if (access !== undefined) state.putAccess(id, access);
        for (const operation of change.operations) owners[operations.push(operation) - 1] = id;
      }
    }
    return { operations, owners, changed };
  }

  /** Then keeps what the state was changed to. */
  async #send(operations: readonly GraphOperation[]): Promise<void> {
    const { state, dryRun } = this.#options;
    if (operations.length > 0) {
      if (!dryRun) {
        const { sequence, splits } = await this.#ingest(operations);
        this.counts.splits += splits;
        this.counts.sequence = Math.max(this.counts.sequence, sequence);
        state.set('sequence', this.counts.sequence);
      }
      this.counts.operations += operations.length;
      this.counts.commits++;
    }
    state.keep();
  }

  /** Repeated also when it may have arrived: the second time it changes nothing. */
  async #ingest(operations: readonly GraphOperation[]): Promise<IngestSummary> {
    const { client, signal } = this.#options;
    for (let retries = 0; ; retries++) {
      try {
        return await client.graph.ingest(operations, { signal });
      } catch (error) {
        if (retries >= RETRIES_MAX || !mayPass(error, operations)) throw error;
        await pause(PAUSE_MS * 2 ** retries, signal);
      }
    }
  }
}

/** An operation that asks for a version finds another one when it comes twice. */
function mayPass(error: unknown, operations: readonly GraphOperation[]): boolean {
  if (!(error instanceof TrellisError) || !PASSING_STATUSES.includes(error.status)) return false;
  return !operations.some((operation) => 'ifVersion' in operation);
}

/** Whether the whole commit was refused: nothing of it was done. */
function isRefusal(error: unknown): error is TrellisError {
  return error instanceof TrellisError && error.status >= 400 && error.status < 500;
}

function rejectedRow(error: TrellisError, owners: readonly string[]): RejectedRow | undefined {
  const index = error.details?.['index'];
  const row = typeof index === 'number' ? owners[index] : undefined;
  return row === undefined ? undefined : { row, code: error.code, message: error.message };
}

function rowRejected({ row, message }: RejectedRow, cause: unknown): ConnectorError {
  const text = `The workspace refuses what row ${row} became: ${message}`;
  return new ConnectorError('row_rejected', text, { row, cause });
}
