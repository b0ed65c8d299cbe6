import type { GetOptions, Transaction } from 'lmdb';
import { AssertionError, must } from '#base/assert.ts';
import {
  pendingFor,
  readGraphApplied,
  readVaultApplied,
  type GraphApplied,
  type PendingCommit,
} from './applied.ts';
import { KEY_END } from './batch.ts';
import { DATABASES, LOCAL_DATABASES, type DatabaseNumber } from './databases.ts';
import type { Environment, EnvironmentName } from './environment.ts';
import type { HeldState, KeyRange, KeyValueReader, ScanVisitor } from './key-value.ts';
import { openGraphFile, type GraphFile } from './lmdb-file/graph-file.ts';
import type { CheckedPlace } from './lmdb-file/checked-visit.ts';
import type { EntryVisitor } from './lmdb-file/tree-pages.ts';
import { Overlay, OverlayReader } from './overlay.ts';
import { StoresReader } from './stores-reader.ts';
import type { InspectVisitor, ValueStore } from './value-store.ts';

/**
 * How often the two transactions are taken before giving up: the writer may apply commits to both
 * environments between the two.
 */
const PAIRING_ATTEMPTS_MAX = 1_000;
/**
 * How often the transactions and the file are opened before the file is not used: the writer may
 * add a commit between the two.
 */
const FILE_ATTEMPTS_MAX = 20;
/** See `TurnHolder`. */
export function holdTurn(graph: Environment, sequence: number): HeldState {
  return new HeldTurn(graph, sequence);
}

class HeldTurn extends StoresReader implements HeldState {
  readonly sequence: number;
  readonly #transaction: Transaction;

  constructor(graph: Environment, sequence: number) {
    const transaction = graph.root.useReadTransaction();
    super(
      graph.stores,
      graph.stores.map(() => ({ transaction })),
    );
    this.sequence = sequence;
    this.#transaction = transaction;
  }

  [Symbol.dispose](): void {
    this.#transaction.done();
  }
}

/** One commit of the state, which stays the same until this reader is disposed. */
export interface HeldReader extends KeyValueReader, Disposable {
  readonly environments: readonly EnvironmentName[];
  readonly sequence: number;
  readonly epoch: string;
  /**
   * Visits the entries of a database in order, from the first key that is not below `start`. It is
   * the fastest way to read all of them.
   */
  visit(db: DatabaseNumber, start: Uint8Array, visitor: EntryVisitor): void;
  /**
   * Reads entries from `start` on, and tells for each whether it is damaged, where `visit` would
   * throw.
   */
  inspect(db: DatabaseNumber, start: Uint8Array, visit: InspectVisitor): void;
  count(db: DatabaseNumber): number;
  /**
   * Where another thread can read the database while this reader is held; undefined when only LMDB
   * can read it.
   */
  placeOf(db: DatabaseNumber): CheckedPlace | undefined;
}

export function holdNewest(graph: Environment, vault: Environment | undefined): HeldReader {
  return new HeldTransactions(graph, vault);
}

/**
 * A reader for callers that read the whole state. It reads the graph from its file, when the file
 * can be read and shows the same commit.
 */
export function holdWithFile(graph: Environment, vault: Environment | undefined): HeldReader {
  for (let attempt = 0; attempt < FILE_ATTEMPTS_MAX; attempt++) {
    using opened = new DisposableStack();
    const held = opened.use(new HeldTransactions(graph, vault));
    const file = openGraphFile(graph.path, graph.seal.form);
    const isSame =
      file === undefined ||
      (file.applied.sequence === held.sequence && file.applied.epoch === held.epoch);
    if (isSame) {
      opened.move();
      return file === undefined ? held : held.readBy(file);
    }
    file[Symbol.dispose]();
  }
  return new HeldTransactions(graph, vault);
}

class HeldTransactions implements HeldReader {
  readonly environments: readonly EnvironmentName[];
  readonly sequence: number;
  readonly epoch: string;
  readonly #transactions: readonly Transaction[];
  readonly #stores: StoresReader;
  readonly #reader: KeyValueReader;
  #file: GraphFile | undefined;

  constructor(graph: Environment, vault: Environment | undefined) {
    const { transactions, applied, pending } =
      vault === undefined ? holdGraph(graph) : holdBoth(graph, vault);
    const stores: ValueStore[] = [];
    const options: GetOptions[] = [];
    for (const [i, environment] of [graph, vault].entries()) {
      for (const { number } of [...DATABASES, ...LOCAL_DATABASES]) {
        const store = environment?.stores[number];
        if (store === undefined) continue;
        stores[number] = store;
        options[number] = { transaction: must(transactions[i], 'a transaction') };
      }
    }
    this.#stores = new StoresReader(stores, options);
    this.environments = vault === undefined ? ['graph'] : ['graph', 'vault'];
    this.sequence = applied.sequence;
    this.epoch = applied.epoch;
    this.#transactions = transactions;
    this.#reader = pending === undefined ? this.#stores : underPending(this.#stores, pending);
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

  countRange(db: DatabaseNumber, range: KeyRange): number {
    return this.#reader.countRange(db, range);
  }

  /**
   * Reads the graph from `file`, which shows the same commit. The transactions keep its pages
   * unchanged. Disposing of this reader disposes of the file.
   */
  readBy(file: GraphFile): this {
    this.#file = file;
    return this;
  }

  visit(db: DatabaseNumber, start: Uint8Array, visitor: EntryVisitor): void {
    if (this.#file?.visit(db, start, visitor) === true) return;
    this.#reader.scan(db, { start, end: KEY_END }, (key, value) =>
      visitor(key, 0, key.length, value, 0, value.length),
    );
  }

  inspect(db: DatabaseNumber, start: Uint8Array, visit: InspectVisitor): void {
    this.#stores.inspect(db, { start, end: KEY_END }, visit);
  }

  count(db: DatabaseNumber): number {
    return this.#file?.count(db) ?? this.#stores.count(db);
  }

  placeOf(db: DatabaseNumber): CheckedPlace | undefined {
    return this.#file?.placeOf(db);
  }

  [Symbol.dispose](): void {
    this.#file?.[Symbol.dispose]();
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
  using begun = new DisposableStack();
  const transaction = begun.adopt(beginNewest(graph), giveBack);
  const applied = readGraphApplied(graph, { transaction });
  begun.move();
  return { transactions: [transaction], applied, pending: undefined };
}

/**
 * Takes the transaction of the graph first. If the vault has carried out more than the graph shows,
 * the graph has moved to a newer commit in between.
 */
function holdBoth(graph: Environment, vault: Environment): Held {
  for (let attempt = 0; attempt < PAIRING_ATTEMPTS_MAX; attempt++) {
    using begun = new DisposableStack();
    const ofGraph = begun.adopt(beginNewest(graph), giveBack);
    const ofVault = begun.adopt(beginNewest(vault), giveBack);
    const applied = readGraphApplied(graph, { transaction: ofGraph });
    const vaultApplied = readVaultApplied(vault, { transaction: ofVault });
    if (vaultApplied.sequence <= applied.vaultSequence) {
      const pending = pendingFor(vaultApplied, applied.vaultSequence);
      begun.move();
      return { transactions: [ofGraph, ofVault], applied, pending };
    }
  }
  throw new AssertionError('the vault is ahead of the graph');
}

function beginNewest(environment: Environment): Transaction {
  environment.root.resetReadTxn();
  return environment.root.useReadTransaction();
}

function giveBack(transaction: Transaction): void {
  transaction.done();
}
