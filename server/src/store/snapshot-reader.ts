import type { GetOptions, Transaction } from 'lmdb';
import { AssertionError, must } from '#base/assert.ts';
import { pendingFor, readGraphApplied, readSequence, readVaultApplied } from './applied.ts';
import type { GraphApplied, PendingCommit } from './applied.ts';
import { DATABASES } from './databases.ts';
import type { DatabaseNumber } from './databases.ts';
import { openEnvironment, openEnvironments } from './environment.ts';
import type { Environment, EnvironmentName, Store } from './environment.ts';
import type { KeyRange, KeyValueReader, ScanVisitor, SnapshotReader } from './key-value.ts';
import { readStoreKeys } from './master-key.ts';
import { Overlay, OverlayReader } from './overlay.ts';
import { StoresReader } from './stores-reader.ts';

/** Between taking the one transaction and the other, the writer may apply so many commits to both. */
const PAIRING_ATTEMPTS_MAX = 1_000;

export interface SnapshotReaderOptions {
  readonly storage: string;
  /** Checked against `<storage>/store.json`, which is read for it. */
  readonly masterKey?: string | undefined;
  /**
   * In place of the master key, and not checked: `StoreKeys.environmentKey`, for a thread that may not know the master key.
   * Given as undefined it opens a store that is not encrypted, or one that another thread of this process has opened.
   * In a process of its own, LMDB does not survive a wrong one.
   */
  readonly environmentKey?: string | undefined;
  /** The vault cannot be read without the graph, which says how much of the vault belongs to a commit. */
  readonly environments: readonly EnvironmentName[];
}

/** A reader that can also stay at one commit for longer than a turn. */
export interface StateReader extends SnapshotReader {
  /**
   * The newest commit, unchanged until it is disposed, whatever is written meanwhile. The pages that it holds cannot be used anew,
   * so the files grow: hold for seconds, not for hours.
   */
  hold(): HeldReader;
}

export interface HeldReader extends KeyValueReader, Disposable {
  readonly environments: readonly EnvironmentName[];
  readonly sequence: number;
  readonly epoch: string;
}

/**
 * Opens a reader of the state in any thread. One of the graph alone scans twice as fast as one that has the vault too: open two
 * where both matter. Throws the problems of `readStoreKeys`, unless `environmentKey` is given, and of `openEnvironment`.
 */
export function openSnapshotReader(options: SnapshotReaderOptions): StateReader {
  const { storage, environments } = options;
  const encryptionKey =
    'environmentKey' in options ? options.environmentKey : readStoreKeys(options).environmentKey;
  const opening = { storage, readOnly: true, encryptionKey };
  if (!environments.includes('vault')) return new GraphReader(openEnvironment('graph', opening));
  const { graph, vault } = openEnvironments(opening);
  return new GraphAndVaultReader(graph, vault);
}

/**
 * lmdb-js keeps one read transaction for each opened environment. It begins with the first read and ends by a timer, that is
 * between two turns of the event loop, or at `resetReadTxn`. So all reads of a turn see one commit, and an idle reader holds
 * no old pages.
 */
class GraphReader extends StoresReader implements StateReader {
  readonly #graph: Environment;

  constructor(graph: Environment) {
    super(graph.stores);
    this.#graph = graph;
  }

  get sequence(): number {
    return readSequence(this.#graph);
  }

  refresh(): number {
    this.#graph.root.resetReadTxn();
    return this.sequence;
  }

  hold(): HeldReader {
    return new HeldTransactions(this.#graph, undefined);
  }

  [Symbol.dispose](): void {
    void this.#graph.root.close();
  }
}

/** Holds a pair of transactions for each turn. */
class GraphAndVaultReader implements StateReader {
  readonly #graph: Environment;
  readonly #vault: Environment;
  #held: HeldReader | undefined;
  #release: NodeJS.Timeout | undefined;

  constructor(graph: Environment, vault: Environment) {
    this.#graph = graph;
    this.#vault = vault;
  }

  get sequence(): number {
    return this.#current().sequence;
  }

  refresh(): number {
    this.#graph.root.resetReadTxn();
    if (this.#held !== undefined && readSequence(this.#graph) !== this.#held.sequence) this.#end();
    return this.sequence;
  }

  get(db: DatabaseNumber, key: Uint8Array): Uint8Array | undefined {
    return this.#current().get(db, key);
  }

  has(db: DatabaseNumber, key: Uint8Array): boolean {
    return this.#current().has(db, key);
  }

  scan(db: DatabaseNumber, range: KeyRange, visit: ScanVisitor): void {
    this.#current().scan(db, range, visit);
  }

  hold(): HeldReader {
    return new HeldTransactions(this.#graph, this.#vault);
  }

  [Symbol.dispose](): void {
    this.#end();
    void this.#graph.root.close();
    void this.#vault.root.close();
  }

  #current(): HeldReader {
    if (this.#held === undefined) {
      this.#held = this.hold();
      // A timer's callback is a turn of its own.
      this.#release = setTimeout(() => this.#end(), 0).unref();
    }
    return this.#held;
  }

  #end(): void {
    clearTimeout(this.#release);
    this.#held?.[Symbol.dispose]();
    this.#held = undefined;
  }
}

class HeldTransactions implements HeldReader {
  readonly environments: readonly EnvironmentName[];
  readonly sequence: number;
  readonly epoch: string;
  readonly #transactions: readonly Transaction[];
  readonly #reader: KeyValueReader;

  constructor(graph: Environment, vault: Environment | undefined) {
    const { transactions, applied, pending } =
      vault === undefined ? holdGraph(graph) : holdBoth(graph, vault);
    const stores: Store[] = [];
    const options: GetOptions[] = [];
    for (const [i, environment] of [graph, vault].entries()) {
      for (const { number } of DATABASES) {
        const store = environment?.stores[number];
        if (store === undefined) continue;
        stores[number] = store;
        options[number] = { transaction: must(transactions[i], 'a transaction') };
      }
    }
    const reader = new StoresReader(stores, options);
    this.environments = vault === undefined ? ['graph'] : ['graph', 'vault'];
    this.sequence = applied.sequence;
    this.epoch = applied.epoch;
    this.#transactions = transactions;
    this.#reader = pending === undefined ? reader : underPending(reader, pending);
  }

  get(db: DatabaseNumber, key: Uint8Array): Uint8Array | undefined {
    return this.#reader.get(db, key);
  }

  has(db: DatabaseNumber, key: Uint8Array): boolean {
    return this.#reader.has(db, key);
  }

  scan(db: DatabaseNumber, range: KeyRange, visit: ScanVisitor): void {
    this.#reader.scan(db, range, visit);
  }

  [Symbol.dispose](): void {
    for (const transaction of this.#transactions) transaction.done();
  }
}

function underPending(reader: KeyValueReader, { payload }: PendingCommit): KeyValueReader {
  const overlay = new Overlay();
  overlay.add(payload);
  return new OverlayReader(reader, overlay);
}

interface Held {
  readonly transactions: readonly Transaction[];
  readonly applied: GraphApplied;
  readonly pending: PendingCommit | undefined;
}

function holdGraph(graph: Environment): Held {
  const transaction = beginNewest(graph);
  const applied = readGraphApplied(graph, { transaction });
  return { transactions: [transaction], applied, pending: undefined };
}

/** The graph first: a vault that has carried out more than the graph shows means that the graph has moved on meanwhile. */
function holdBoth(graph: Environment, vault: Environment): Held {
  for (let attempt = 0; attempt < PAIRING_ATTEMPTS_MAX; attempt++) {
    const ofGraph = beginNewest(graph);
    const ofVault = beginNewest(vault);
    const applied = readGraphApplied(graph, { transaction: ofGraph });
    const vaultApplied = readVaultApplied(vault, { transaction: ofVault });
    if (vaultApplied.sequence <= applied.vaultSequence) {
      const pending = pendingFor(vaultApplied, applied.vaultSequence);
      return { transactions: [ofGraph, ofVault], applied, pending };
    }
    ofGraph.done();
    ofVault.done();
  }
  throw new AssertionError('the vault is ahead of the graph');
}

function beginNewest(environment: Environment): Transaction {
  environment.root.resetReadTxn();
  return environment.root.useReadTransaction();
}
