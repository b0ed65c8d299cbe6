import { assert } from '#base/assert.ts';
import type { CommitLog, LogRecord } from '#log/commit-log.ts';
import type { Applier } from './apply.ts';
import type { Environment } from './environment.ts';
import { freeSpaceCheck, type SpaceCheck } from './storage-problem.ts';
import type { LocalState } from './local-state.ts';
import { openReplayed, replayLog, type StateOptions } from './state-writer.ts';
import { CommitPipeline, type Publication, type State } from './commit-pipeline.ts';

/**
 * The state of a replica: what the primary has committed, in the primary's order, and nothing else.
 * It cannot build a commit, so a local write is impossible, not only refused (specification,
 * section 2.9).
 */
export interface StateFollower extends AsyncDisposable {
  /** Everything up to this sequence is in the replica's own log, and visible to every reader. */
  readonly sequence: number;
  /** As `State.flushedSequence`. */
  readonly flushedSequence: number;
  /** What is kept beside the log. */
  readonly local: LocalState;
  /**
   * Adds records that follow one another without gaps, first to the replica's own log, then to the
   * state in one write. Records that it has already are skipped. Make one call at a time. Resolves
   * with the newest sequence.
   *
   * Rejects with `storage_full` or `storage_failed`. The next start carries out what the log has by
   * then.
   */
  apply(records: readonly LogRecord[]): Promise<number>;
  /**
   * Ends the following, and begins to take commits: they go to this log, which has all that the
   * state has. What it has more is carried out first. The environments stay open throughout, so
   * whoever reads them goes on; from now on the state that is resolved with closes them. To be
   * called when nothing is applied, and nothing else writes to `local` any more.
   */
  lead(log: CommitLog): Promise<State>;
}

/**
 * Opens the state read-write and brings it up to the end of its own log. Throws the problems of
 * `openReplayed`.
 */
export async function openStateFollower(options: StateOptions): Promise<StateFollower> {
  const { storage, log, checkSpace = freeSpaceCheck(storage), applied } = options;
  const { graph, vault, applier } = await openReplayed(options);
  applied?.publish(applier.sequence, 0);
  return new Follower({ graph, vault, log, applier, checkSpace, applied });
}

interface FollowerParts {
  readonly graph: Environment;
  readonly vault: Environment;
  readonly log: CommitLog;
  readonly applier: Applier;
  readonly checkSpace: SpaceCheck;
  readonly applied: Publication | undefined;
}

class Follower implements StateFollower {
  readonly local: LocalState;
  readonly #parts: FollowerParts;
  #isApplying = false;
  #isLeading = false;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.local = parts.applier.localState(() => this.#isApplying, parts.checkSpace);
  }

  get sequence(): number {
    return this.#parts.applier.sequence;
  }

  get flushedSequence(): number {
    return this.#parts.applier.flushes.flushedSequence;
  }

  async apply(records: readonly LogRecord[]): Promise<number> {
    assert(!this.#isApplying, 'records are taken over one chunk after the other');
    this.#isApplying = true;
    try {
      const { log, applier, graph, vault } = this.#parts;
      // An earlier call may have reached the log but not the state.
      const added = records.filter(({ last }) => last > this.sequence);
      if (added.length === 0) return this.sequence;
      checkChain(added, this.sequence);
      await this.#append(added.filter(({ last }) => last > log.lastSequence));
      await applier.apply(added);
      for (const { root } of [graph, vault]) root.resetReadTxn();
      this.#parts.applied?.publish(this.sequence, added.length);
      return this.sequence;
    } finally {
      this.#isApplying = false;
    }
  }

  async lead(log: CommitLog): Promise<State> {
    assert(!this.#isApplying, 'what is applied has come to its end');
    const { graph, vault, applier, checkSpace, applied } = this.#parts;
    await replayLog(log, applier);
    for (const { root } of [graph, vault]) root.resetReadTxn();
    this.#isLeading = true;
    return new CommitPipeline({ graph, vault, log, applier, checkSpace, published: applied });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isLeading) await this.#parts.applier.close();
  }

  async #append(records: readonly LogRecord[]): Promise<void> {
    if (records.length === 0) return;
    const { log, checkSpace } = this.#parts;
    checkSpace({
      operations: records.reduce((sum, { first, last }) => sum + last - first + 1, 0),
      bytes: records.reduce((sum, { payload }) => sum + payload.length, 0),
    });
    // Appended in one turn, so that they share a write and a sync.
    const appended = records.map(({ first, last, time, payload }) =>
      log.append(last - first + 1, payload, time),
    );
    await Promise.all(appended);
  }
}

function checkChain(records: readonly LogRecord[], sequence: number): void {
  let next = sequence + 1;
  for (const { first, last } of records) {
    assert(first === next, `a record begins at ${first}, the next one is ${next}`);
    next = last + 1;
  }
}
