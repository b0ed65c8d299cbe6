import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import type { CommitLog } from '#log/commit-log.ts';
import type { Applier } from './apply.ts';
import { type PendingCommit, readSequence } from './applied.ts';
import type { LocalState } from './local-state.ts';
import { BatchMemory, OverlaidBatch } from './overlaid-batch.ts';
import { type Environment, fileBytesOf } from './environment.ts';
import type { SpaceCheck, SpaceNeeded } from './storage-problem.ts';
import type { KeyValueReader, StateWriter, WriteBatch } from './key-value.ts';
import { Overlay, OverlayReader } from './overlay.ts';
import type { OverlayLayer } from './overlay-table.ts';
import { StoresReader } from './stores-reader.ts';

/** The state of a workspace, opened for writing. A process has only one. */
export interface State extends StateWriter {
  /**
   * Everything up to this sequence is in LMDB and flushed to the device, so it survives a power
   * failure. The log may be trimmed up to here. 0 until something was written since the start.
   */
  readonly flushedSequence: number;
  /** What is kept beside the log. */
  readonly local: LocalState;
  /** Gives back the memory that a load has filled; commits go on without it. */
  releaseMemory(): void;
}

/** Where the state publishes how far it is: see `AppliedSequence`. */
export interface Publication {
  /**
   * Readers see everything up to the sequence. `commits` is the number of commits since the last
   * call.
   */
  publish(sequence: number, commits: number): void;
}

/**
 * The largest number of operations in one LMDB transaction, for the size of the state. LMDB writes
 * each page anew that a transaction changes. In a large state most operations of a load change a
 * page of their own, unless the transaction has many: at two million nodes a node takes 17 us of a
 * processor with the smaller number, and 10 with the larger one. But whoever comes meanwhile waits
 * for it, and LMDB keeps the memory of all pages that the largest one has changed.
 */
const GROUP_OPERATIONS = { min: 60_000, max: 160_000, bytesEach: 1_024 } as const;
/** When more operations are in flight than groups of so many, or more bytes, `ready` waits. */
const GROUPS_IN_FLIGHT_MAX = 2;
const IN_FLIGHT_BYTES_MAX = 64 * 1024 * 1024;
const GROUP_BYTES_MAX = 32 * 1024 * 1024;
/** The wait between attempts to apply durable commits while the volume has no room. */
const RETRY_DELAY_MIN_MS = 50;
const RETRY_DELAY_MAX_MS = 2_000;

export interface CommitPipelineOptions {
  readonly graph: Environment;
  readonly vault: Environment;
  readonly log: CommitLog;
  readonly applier: Applier;
  readonly checkSpace: SpaceCheck;
  readonly published: Publication | undefined;
}

/** A commit from its construction until every reader can see it. */
interface CommitInFlight {
  readonly batch: OverlaidBatch;
  /** Sequence of the commit's last operation; 0 until the log has it. */
  last: number;
  /** The log refused this commit or one before it. */
  isRefused: boolean;
  readonly resolve: (sequence: number) => void;
  readonly reject: (reason: unknown) => void;
  /** Resolves when it is acknowledged or rejected. */
  readonly settled: Promise<unknown>;
}

/**
 * Takes a commit through its stages: it is built against the view, appended to the log, carried out
 * together with the others that are durable by then, and acknowledged. New commits are built while
 * earlier ones are synced and carried out.
 */
export class CommitPipeline implements State {
  readonly view: KeyValueReader;
  readonly local: LocalState;
  readonly #environments: readonly Environment[];
  readonly #log: CommitLog;
  readonly #applier: Applier;
  readonly #checkSpace: SpaceCheck;
  readonly #published: Publication | undefined;
  /** The operations of the commits in flight. */
  readonly #overlay = new Overlay();
  readonly #memory = new BatchMemory();
  /** Acknowledged operations that the vault carries out only with its next commit. */
  readonly #pendingOverlay = new Overlay();
  #pendingShown: PendingCommit | undefined;
  #pendingLayer: OverlayLayer | undefined;
  /** In the order in which they were built, which is the order of the log. */
  readonly #inFlight: CommitInFlight[] = [];
  #bytesInFlight = 0;
  #operationsInFlight = 0;
  #groupOperationsMax: number = GROUP_OPERATIONS.min;
  /** Sequence of the newest acknowledged commit. */
  #sequence: number;
  #isBuilding = false;
  #closed: Promise<void> | undefined;
  #applying: Promise<void> | undefined;
  /** Why durable commits cannot be carried out at the moment; undefined when they can. */
  #applyProblem: Problem | undefined;
  #readyWaiters: (() => void)[] = [];
  readonly #closing = new AbortController();

  constructor({ graph, vault, log, applier, checkSpace, published }: CommitPipelineOptions) {
    this.#environments = [graph, vault];
    this.#log = log;
    this.#applier = applier;
    this.#checkSpace = checkSpace;
    this.#published = published;
    this.#sequence = applier.sequence;
    this.local = applier.localState(
      () => this.#inFlight.length > 0,
      ({ operations, bytes }) =>
        checkSpace({
          operations: this.#operationsInFlight + operations,
          bytes: this.#bytesInFlight + bytes,
        }),
    );
    const stores = graph.stores.map((store, db) => store ?? vault.stores[db]);
    for (const [db, store] of vault.stores.entries()) if (store !== undefined) stores[db] = store;
    const applied = new OverlayReader(new StoresReader(stores), this.#pendingOverlay);
    this.view = new OverlayReader(applied, this.#overlay);
    this.#showPending();
    published?.publish(applier.sequence, 0);
  }

  get sequence(): number {
    return this.#sequence;
  }

  get flushedSequence(): number {
    return this.#applier.flushes.flushedSequence;
  }

  async commit<T>(build: (batch: WriteBatch) => T): Promise<{ result: T; sequence: number }> {
    assert(this.#closed === undefined, 'a commit after the state was closed');
    assert(!this.#isBuilding, 'a commit within the construction of another');
    // The state has no room, though the log may have: more commits would only have to wait as well.
    const problem = this.#applyProblem ?? this.#applier.flushes.problem;
    if (problem !== undefined) throw notTaken(problem);
    const first = this.#sequence + this.#operationsInFlight + 1;
    const batch = new OverlaidBatch(this.#overlay, first, this.#memory);
    let result: T;
    this.#isBuilding = true;
    try {
      result = build(batch);
      if (batch.count > 0) this.#checkSpace(this.#needed(batch));
    } catch (error) {
      batch.undo();
      throw error;
    } finally {
      this.#isBuilding = false;
      batch.seal();
    }
    return { result, sequence: await this.#submit(batch) };
  }

  ready(): Promise<void> {
    if (this.#isReady()) return Promise.resolve();
    return new Promise((resolve) => void this.#readyWaiters.push(resolve));
  }

  releaseMemory(): void {
    this.#overlay.release();
    this.#memory.release();
    for (const { writes } of this.#environments) writes?.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    while (this.#inFlight.length > 0) await this.#inFlight[0]!.settled;
    await this.#applying;
    await this.#applier.close();
  }

  async #submit(batch: OverlaidBatch): Promise<number> {
    if (batch.count === 0 && this.#inFlight.length === 0) return this.sequence;
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const settled = promise.then(noop, noop);
    const commit: CommitInFlight = { batch, last: 0, isRefused: false, resolve, reject, settled };
    this.#inFlight.push(commit);
    this.#bytesInFlight += batch.payload.length;
    this.#operationsInFlight += batch.count;
    if (batch.count > 0) {
      this.#log.append(batch.count, batch.payload).then(
        (last) => this.#onDurable(commit, last),
        (reason: unknown) => this.#onRefused(commit, reason),
      );
    }
    return promise;
  }

  #onDurable(commit: CommitInFlight, last: number): void {
    assert(!commit.isRefused, 'the log took a commit that was built on one which it refused');
    commit.last = commit.batch.land(last);
    this.#applying ??= this.#applyDurable();
  }

  /**
   * Commits that were built after a refused one may depend on it. So they are refused too, as they
   * are by the log.
   */
  #onRefused(commit: CommitInFlight, reason: unknown): void {
    const index = this.#inFlight.indexOf(commit);
    if (index < 0) return;
    for (const later of this.#inFlight.slice(index)) later.isRefused = true;
    this.#rejectFrom(index, reason, followUp(reason));
  }

  #rejectFrom(index: number, reason: unknown, later: unknown): void {
    const rejected = this.#inFlight.splice(index);
    for (const { batch } of rejected.toReversed()) {
      batch.undo();
      this.#forget(batch);
    }
    for (const [i, { reject }] of rejected.entries()) reject(i === 0 ? reason : later);
    this.#wakeReady();
  }

  async #applyDurable(): Promise<void> {
    for (;;) {
      if (this.#operationsInFlight > this.#groupOperationsMax) this.#measure();
      const group = this.#nextGroup();
      if (group.length === 0) break;
      if (!(await this.#untilApplied(group))) return;
      this.#acknowledge(group);
    }
    this.#applying = undefined;
  }

  #measure(): void {
    const { min, max, bytesEach } = GROUP_OPERATIONS;
    const [graph] = this.#environments;
    this.#groupOperationsMax = Math.min(Math.max(fileBytesOf(graph!) / bytesEach, min), max);
  }

  /** The oldest durable commits. Commits without operations take their turn among them. */
  #nextGroup(): CommitInFlight[] {
    const group: CommitInFlight[] = [];
    let operations = 0;
    let bytes = 0;
    for (const commit of this.#inFlight) {
      const { batch, last } = commit;
      if (last === 0 && batch.count > 0) break;
      operations += batch.count;
      bytes += batch.payload.length;
      const isFull = operations > this.#groupOperationsMax || bytes > GROUP_BYTES_MAX;
      if (isFull && group.length > 0) break;
      group.push(commit);
    }
    return group;
  }

  /**
   * Tries until there is room, since the group is durable. Resolves with false when the state is
   * closed before.
   */
  async #untilApplied(group: readonly CommitInFlight[]): Promise<boolean> {
    const commits = group
      .filter(({ batch }) => batch.count > 0)
      .map(({ batch, last }) => ({ payload: batch.payload, last }));
    for (let delay = RETRY_DELAY_MIN_MS; ; delay = Math.min(delay * 2, RETRY_DELAY_MAX_MS)) {
      try {
        await this.#applier.apply(commits);
        this.#applyProblem = undefined;
        return true;
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        this.#applyProblem = error;
      }
      this.#wakeReady();
      try {
        await sleep(delay, undefined, { signal: this.#closing.signal });
      } catch {
        // The state is closing. The log has the commits, and the next start carries them out.
        const problem = notApplied(this.#applyProblem);
        this.#rejectFrom(0, problem, problem);
        return false;
      }
    }
  }

  #acknowledge(group: readonly CommitInFlight[]): void {
    const [graph] = this.#environments;
    for (const { root } of this.#environments) root.resetReadTxn();
    const { sequence } = this.#applier;
    assert(readSequence(graph!) === sequence, 'the newest transaction is not visible');
    this.#inFlight.splice(0, group.length);
    this.#showPending();
    for (const { batch } of group) {
      this.#forget(batch);
      batch.drop();
    }
    // Published for every commit, before the caller gets the answer and can ask another thread.
    this.#published?.publish(sequence, group.filter(({ last }) => last > 0).length);
    for (const { last, resolve } of group) resolve((this.#sequence = last || this.#sequence));
    assert(this.#sequence === sequence, 'a group ends with its last commit');
    this.#wakeReady();
  }

  #showPending(): void {
    const { pending } = this.#applier;
    if (pending === this.#pendingShown) return;
    this.#pendingShown = pending;
    if (this.#pendingLayer !== undefined) this.#pendingOverlay.drop(this.#pendingLayer);
    this.#pendingLayer =
      pending === undefined ? undefined : this.#pendingOverlay.add(pending.payload);
  }

  #needed({ count, payload }: OverlaidBatch): SpaceNeeded {
    const bytes = this.#bytesInFlight + payload.length;
    return { operations: this.#operationsInFlight + count, bytes };
  }

  #forget({ payload, count }: OverlaidBatch): void {
    this.#bytesInFlight -= payload.length;
    this.#operationsInFlight -= count;
  }

  #isReady(): boolean {
    return (
      this.#applyProblem !== undefined ||
      (this.#bytesInFlight < IN_FLIGHT_BYTES_MAX &&
        this.#operationsInFlight < GROUPS_IN_FLIGHT_MAX * this.#groupOperationsMax)
    );
  }

  #wakeReady(): void {
    if (!this.#isReady()) return;
    for (const wake of this.#readyWaiters.splice(0)) wake();
  }
}

const noop = (): void => undefined;

/** The problem of a commit that was built on one which the log refused for this reason. */
function followUp(reason: unknown): Problem {
  const code = reason instanceof Problem ? reason.code : 'storage_failed';
  return new Problem(code, 'the commit was built on one that could not be written', {
    hint: 'Send it again.',
    cause: reason,
  });
}

/** The problem of a new commit while commits cannot be carried out for this reason. */
function notTaken({ code, message }: Problem): Problem {
  return new Problem(code, `no commit is taken: ${message}`, {
    hint: 'Free room on the volume of the storage folder, then send it again.',
  });
}

/** The problem of a commit that is not carried out because the state is closed. */
function notApplied(problem: Problem): Problem {
  return new Problem(
    problem.code,
    'the workspace stopped before the commit could be carried out; it may be in the log already',
    { hint: 'Free room, start again, and look whether the change is there.', cause: problem },
  );
}
