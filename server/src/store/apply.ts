import { dirname } from 'node:path';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import {
  type GraphApplied,
  type PendingCommit,
  putGraphApplied,
  putVaultApplied,
  putVaultPending,
  readGraphApplied,
  readVaultApplied,
  type VaultApplied,
} from './applied.ts';
import { BatchEncoder, hasOperationOn, readPlaces } from './batch.ts';
import { DB } from './databases.ts';
import { EntryBlocks } from './entry-blocks.ts';
import type { Environment } from './environment.ts';
import { type Flushes, followFlushes, type SteadyRule } from './steady/steady-points.ts';
import { closeEnvironments } from './write-transaction.ts';
import type { LocalState, PutLocal } from './local-state.ts';
import { RowChanges } from './row-changes.ts';
import { SortedOperations } from './sorted-operations.ts';
import { noteTiers } from './master-key.ts';
import { type SpaceCheck, storageProblem } from './storage-problem.ts';
import { StoresReader } from './stores-reader.ts';
import { TIER_RULE, TieredStore, type TierRule } from './tiered-store.ts';
import { writeTransaction } from './write-transaction.ts';

/** The defaults are `STEADY_RULE` and `TIER_RULE`. */
export interface ApplierRules {
  /** When what was carried out is flushed. */
  readonly steadyRule?: SteadyRule | undefined;
  readonly tierRule?: TierRule | undefined;
}

/** One commit as the log has it. */
export interface LoggedCommit {
  /** The sequence of its last operation. */
  readonly last: number;
  readonly payload: Uint8Array;
}

/**
 * Carries out commits in the environments, in the steps of `applied.ts`. A group of commits takes
 * one transaction of each environment.
 */
export class Applier {
  readonly #graph: Environment;
  readonly #vault: Environment;
  /** By database number: 1 for those of the vault. */
  readonly #vaultDatabases: Uint8Array;
  readonly #epoch: string;
  readonly #flushes: Flushes;
  readonly #sorted = new SortedOperations((payload, db, keyStart, keyEnd, valueStart, valueEnd) => {
    const store = must(this.#graph.stores[db], `database ${db}`);
    if (valueStart < 0) store.removePlaced(payload, keyStart, keyEnd);
    else store.putNew(payload, keyStart, keyEnd, valueEnd);
  });
  readonly #rowChanges: RowChanges;
  readonly #entryBlocks: EntryBlocks;
  readonly #tiered: readonly TieredStore[];
  readonly #tierRule: TierRule;
  #hasNotedTiers = false;
  /** After a failure, what need not be written is not written. */
  #hasFailed = false;
  #graphApplied: GraphApplied;
  #vaultApplied: VaultApplied;
  /** Resolves when the transactions of the present call are over. */
  #turn: Promise<void> | undefined;

  constructor(
    graph: Environment,
    vault: Environment,
    epoch: string,
    { steadyRule, tierRule = TIER_RULE }: ApplierRules = {},
  ) {
    this.#graph = graph;
    this.#vault = vault;
    this.#vaultDatabases = Uint8Array.from(vault.stores, (store) => (store === undefined ? 0 : 1));
    this.#epoch = epoch;
    this.#flushes = followFlushes({ graph, vault }, () => this.#turn !== undefined, steadyRule);
    this.#tiered = graph.stores.filter((store) => store instanceof TieredStore);
    this.#tierRule = tierRule;
    this.#rowChanges = new RowChanges(graph);
    this.#graphApplied = readGraphApplied(graph);
    this.#entryBlocks = new EntryBlocks(graph, this.#graphApplied.sequence);
    this.#vaultApplied = readVaultApplied(vault);
  }

  /** The newest sequence that both environments show. */
  get sequence(): number {
    return this.#graphApplied.sequence;
  }

  /** See `Flushes`. */
  get flushes(): Pick<Flushes, 'flushedSequence' | 'problem'> {
    return this.#flushes;
  }

  /** The newest sequence of which at least one environment has something. */
  get writtenSequence(): number {
    return Math.max(this.sequence, this.#vaultLast);
  }

  get epoch(): string {
    return this.#graphApplied.epoch;
  }

  /**
   * Marks a new state as following this log, so that it is never opened with another log. Drops the
   * packed rows and the counts of blocks when a version that does not keep them has written since.
   */
  async adoptEpoch(): Promise<void> {
    if (!this.#rowChanges.endsAt(this.sequence)) {
      await writeTransaction(this.#graph, () => this.#rowChanges.drop());
    }
    if (this.#entryBlocks.isStale) {
      await writeTransaction(this.#graph, () => this.#entryBlocks.drop());
    }
    if (this.epoch === this.#epoch) return;
    await this.#applyToGraph([], { ...this.#graphApplied, epoch: this.#epoch });
  }

  /** The operations of the newest group that the vault has not carried out yet. */
  get pending(): PendingCommit | undefined {
    return this.#vaultApplied.pending;
  }

  /**
   * The first sequence to carry out. After a power failure the vault may have less than the graph.
   */
  get nextSequence(): number {
    const { sequence, vaultSequence } = this.#graphApplied;
    return Math.min(sequence, this.#vaultLast < vaultSequence ? this.#vaultLast : sequence) + 1;
  }

  /**
   * Resolves when every reader that begins a transaction sees the group. Rejects with the problem
   * `storage_full` or `storage_failed`. Then no reader shows any of the group, and the call may be
   * repeated.
   */
  apply(group: readonly LoggedCommit[]): Promise<void> {
    return this.#inTurn(bytesOf(group), () => this.#apply(group));
  }

  /**
   * What others keep beside the log in the graph. `isBusy` says whether commits wait, and
   * `checkSpace` whether the volume has room for more than those.
   */
  localState(isBusy: () => boolean, checkSpace: SpaceCheck): LocalState {
    const reader = new StoresReader(this.#graph.stores);
    const sequence = (): number => this.sequence;
    const notedIds = (): number => this.#rowChanges.notedIds;
    return {
      reader,
      get sequence() {
        return sequence();
      },
      get notedIds() {
        return notedIds();
      },
      get isBusy() {
        return isBusy();
      },
      watch: (endId) => this.#rowChanges.watch(endId),
      keyAt: (db, range, place) => this.#graph.stores[db]?.keyAt(range, place),
      write: (put) => this.#inTurn(0, () => this.#writeLocal(put, checkSpace)),
    };
  }

  async #writeLocal(put: (put: PutLocal) => void, checkSpace: SpaceCheck): Promise<void> {
    const { stores, root } = this.#graph;
    // So that `put` reads what is newest, whatever was read earlier in this turn of the event loop.
    root.resetReadTxn();
    // Written only once all is known, and there is room for it.
    const writes: (() => void)[] = [];
    const blocks: [key: Uint8Array, value: Uint8Array | undefined][] = [];
    let bytes = 0;
    put((db, key, value) => {
      const store = must(stores[db], `database ${db}`);
      const own = Uint8Array.from(key);
      bytes += own.length + (value?.length ?? 0);
      if (db === DB.entryBlocks) blocks.push([own, value]);
      writes.push(() => (value === undefined ? store.remove(own) : store.put(own, value)));
    });
    if (writes.length === 0) return;
    checkSpace({ operations: writes.length, bytes: bytes + LEFT_TO_COMMITS_BYTES });
    await writeTransaction(this.#graph, () => {
      for (const write of writes) write();
    });
    root.resetReadTxn();
    this.#rowChanges.reload();
    for (const [key, value] of blocks) this.#entryBlocks.take(key, value);
  }

  /** Closes the environments. Nothing may be carried out any more. */
  async close(): Promise<void> {
    while (this.#turn !== undefined) await this.#turn;
    await this.#flushes.end();
    await closeEnvironments({ graph: this.#graph, vault: this.#vault });
  }

  async #inTurn(bytes: number, work: () => Promise<void>): Promise<void> {
    while (this.#turn !== undefined) await this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    try {
      await work();
    } finally {
      this.#turn = undefined;
      this.#flushes.applied(this.sequence, bytes);
      resolve();
    }
  }

  async #apply(group: readonly LoggedCommit[]): Promise<void> {
    const last = group.at(-1)?.last ?? 0;
    const forVault = this.#collectForVault(group);
    if (forVault.last > this.#vaultLast) {
      const { last: sequence, operations } = forVault;
      await this.#applyToVault({ sequence, payload: operations?.payload ?? NOTHING });
    }
    if (last > this.sequence) {
      await this.#applyToGraph(group, {
        sequence: last,
        vaultSequence: forVault.last || this.#graphApplied.vaultSequence,
        epoch: this.#epoch,
      });
    }
  }

  /** The last commit whose operations the vault has, carried out or pending. */
  get #vaultLast(): number {
    return this.#vaultApplied.pending?.sequence ?? this.#vaultApplied.sequence;
  }

  /**
   * The last commit of the group that touches the vault (0 when none does), and the operations that
   * the vault does not have yet.
   */
  #collectForVault(group: readonly LoggedCommit[]) {
    const { stores } = this.#vault;
    let operations: BatchEncoder | undefined;
    let touching = 0;
    for (const { last, payload } of group) {
      // A load has nothing for the vault.
      if (!hasOperationOn(this.#vaultDatabases, payload)) continue;
      const isNew = last > this.#vaultLast;
      readPlaces(payload, (db, keyStart, keyEnd, valueStart, valueEnd) => {
        if (stores[db] === undefined) return;
        touching = last;
        if (!isNew) return;
        operations ??= new BatchEncoder();
        const key = payload.subarray(keyStart, keyEnd);
        if (valueStart < 0) operations.delete(db, key);
        else operations.put(db, key, payload.subarray(valueStart, valueEnd));
      });
    }
    return { last: touching, operations };
  }

  async #applyToVault(next: PendingCommit): Promise<void> {
    const { pending } = this.#vaultApplied;
    const sequence = pending?.sequence ?? this.#vaultApplied.sequence;
    const bytes = next.payload.length + (pending?.payload.length ?? 0);
    const put = (): void => {
      if (pending !== undefined) {
        putOperations(this.#vault, pending.payload);
        putVaultApplied(this.#vault, sequence);
      }
      putVaultPending(this.#vault, next);
    };
    await writeTransaction(this.#vault, put, bytes <= SMALL_BYTES_MAX);
    this.#vaultApplied = { sequence, pending: next };
  }

  async #applyToGraph(group: readonly LoggedCommit[], applied: GraphApplied): Promise<void> {
    const changes = this.#rowChanges;
    const blocks = this.#entryBlocks;
    const isSmall = bytesOf(group) <= SMALL_BYTES_MAX;
    const tiered = isSmall ? [] : this.#tiered;
    const movedMax = this.#hasFailed ? 0 : (applied.sequence - this.sequence) * MOVED_SHARE;
    const put = (): void => {
      changes.begin();
      this.#sorted.clear();
      for (const store of tiered) store.beginGroup(this.#tierRule, movedMax);
      for (const { last, payload } of group) {
        // What the graph has already is carried out again when the vault lacks it: it counts once.
        const counted = last > this.sequence ? blocks : undefined;
        const sorted = isSmall || counted === undefined ? undefined : this.#sorted;
        putOperations(this.#graph, payload, { changes, blocks: counted, sorted });
      }
      this.#sorted.flush();
      changes.put(applied.sequence);
      blocks.put(applied.sequence);
      putGraphApplied(this.#graph, applied);
    };
    try {
      if (!isSmall) this.#noteTiers();
      await writeTransaction(this.#graph, put, isSmall);
      this.#hasFailed = false;
    } catch (error) {
      this.#hasFailed = true;
      changes.undo();
      blocks.settle(false, this.sequence);
      throw error;
    }
    this.#graphApplied = applied;
    blocks.settle(true, applied.sequence);
  }

  /** Before entries go to second trees, which older versions of the server do not look in. */
  #noteTiers(): void {
    // What is asked and moved next is of the newest commit, whatever was read in this turn.
    this.#graph.root.resetReadTxn();
    if (this.#hasNotedTiers || !this.#tiered.some((store) => store.isTiered(this.#tierRule)))
      return;
    const storage = dirname(this.#graph.path);
    try {
      noteTiers(storage);
    } catch (error) {
      if (error instanceof Problem) throw error;
      throw storageProblem('writing in', storage, error);
    }
    this.#hasNotedTiers = true;
  }
}

const NOTHING = new Uint8Array(0);
/** What can be made again leaves this much of the volume to what cannot. */
const LEFT_TO_COMMITS_BYTES = 16 * 1024 * 1024;
/**
 * A large group moves at most this share of its operations from second trees. A load puts a third
 * of its operations there, so it moves as many as it brings. The room for it was asked for: a page
 * for each operation, which most of a load's do not change.
 */
const MOVED_SHARE = 0.5;
/**
 * A group with no more bytes of payload than this, which is about 300 operations, is carried out in
 * the thread of the caller. For larger ones a second thread is worth the time to wake it.
 */
const SMALL_BYTES_MAX = 24 * 1024;

function bytesOf(group: readonly LoggedCommit[]): number {
  let bytes = 0;
  for (const { payload } of group) bytes += payload.length;
  return bytes;
}

interface PutOptions {
  readonly changes?: RowChanges;
  readonly blocks?: EntryBlocks | undefined;
  /** Takes what is better carried out in the order of keys. */
  readonly sorted?: SortedOperations | undefined;
}

/**
 * Carries out the operations of a payload that belong to the environment. A load sends millions of
 * operations through here, so few objects are made for each.
 */
function putOperations(
  { stores }: Environment,
  payload: Uint8Array,
  { changes, blocks, sorted }: PutOptions = {},
): void {
  readPlaces(payload, (db, keyStart, keyEnd, valueStart, valueEnd) => {
    const store = stores[db];
    if (store === undefined) return;
    changes?.add(db, payload, keyStart);
    blocks?.add(db, payload, keyStart, keyEnd, valueStart < 0 ? -1 : 1);
    if (sorted?.add(payload, db, keyStart, keyEnd, valueStart, valueEnd) === true) return;
    if (valueStart < 0) store.removePlaced(payload, keyStart, keyEnd);
    else store.putPlaced(payload, keyStart, keyEnd, valueEnd);
  });
}
