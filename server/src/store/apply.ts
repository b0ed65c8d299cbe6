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
import { BatchEncoder, KeyScratch, readBatch, readPlaces } from './batch.ts';
import type { Environment } from './environment.ts';
import { writeTransaction } from './write-transaction.ts';

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
  readonly #epoch: string;
  #graphApplied: GraphApplied;
  #vaultApplied: VaultApplied;

  constructor(graph: Environment, vault: Environment, epoch: string) {
    this.#graph = graph;
    this.#vault = vault;
    this.#epoch = epoch;
    this.#graphApplied = readGraphApplied(graph);
    this.#vaultApplied = readVaultApplied(vault);
  }

  /** The newest sequence that both environments show. */
  get sequence(): number {
    return this.#graphApplied.sequence;
  }

  /** The newest sequence of which at least one environment has something. */
  get writtenSequence(): number {
    return Math.max(this.sequence, this.#vaultLast);
  }

  get epoch(): string {
    return this.#graphApplied.epoch;
  }

  /** Marks a new state as following this log, so that it is never opened with another log. */
  async adoptEpoch(): Promise<void> {
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
  async apply(group: readonly LoggedCommit[]): Promise<void> {
    const last = group.at(-1)?.last ?? 0;
    const forVault = this.#collectForVault(group);
    if (forVault.last > this.#vaultLast) {
      const { last: sequence, operations } = forVault;
      await this.#applyToVault({ sequence, payload: operations.payload });
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
    const operations = new BatchEncoder();
    let touching = 0;
    for (const { last, payload } of group) {
      const isNew = last > this.#vaultLast;
      readBatch(payload, (db, key, value) => {
        if (this.#vault.stores[db] === undefined) return;
        touching = last;
        if (!isNew) return;
        if (value === undefined) operations.delete(db, key);
        else operations.put(db, key, value);
      });
    }
    return { last: touching, operations };
  }

  async #applyToVault(next: PendingCommit): Promise<void> {
    const { pending } = this.#vaultApplied;
    const sequence = pending?.sequence ?? this.#vaultApplied.sequence;
    await writeTransaction(this.#vault, () => {
      if (pending !== undefined) {
        putOperations(this.#vault, pending.payload);
        putVaultApplied(this.#vault, sequence);
      }
      putVaultPending(this.#vault, next);
    });
    this.#vaultApplied = { sequence, pending: next };
  }

  async #applyToGraph(group: readonly LoggedCommit[], applied: GraphApplied): Promise<void> {
    await writeTransaction(this.#graph, () => {
      for (const { payload } of group) putOperations(this.#graph, payload);
      putGraphApplied(this.#graph, applied);
    });
    this.#graphApplied = applied;
  }
}

const NOTHING = new Uint8Array(0);

/**
 * Carries out the operations of a payload that belong to the environment. A load sends millions of
 * operations through here, so few objects are made for each.
 */
function putOperations(environment: Environment, payload: Uint8Array): void {
  const keys = new KeyScratch();
  readPlaces(payload, (db, keyStart, keyEnd, valueStart, valueEnd) => {
    const store = environment.stores[db];
    if (store === undefined) return;
    const key = keys.copy(payload, keyStart, keyEnd);
    if (valueStart < 0) store.remove(key);
    else store.put(key, valueEnd > valueStart ? payload.subarray(valueStart, valueEnd) : NOTHING);
  });
}
