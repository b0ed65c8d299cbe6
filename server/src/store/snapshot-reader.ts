import { readSequence } from './applied.ts';
import type { DatabaseNumber } from './databases.ts';
import {
  type Environment,
  type EnvironmentName,
  openEnvironment,
  openEnvironments,
} from './environment.ts';
import { type HeldReader, holdNewest, holdTurn, holdWithFile } from './held-reader.ts';
import type { HeldState, KeyRange, ScanVisitor, SnapshotReader, TurnHolder } from './key-value.ts';
import { readStoreKeys } from './master-key.ts';
import { StoresReader } from './stores-reader.ts';
import type { Manifest } from './manifest.ts';

export interface SnapshotReaderOptions {
  readonly storage: string;
  /** Checked against `<storage>/store.json`, which is read for that. */
  readonly masterKey?: string | undefined;
  /**
   * `StoreKeys.environmentKey`, in place of the master key, for a thread that must not know the
   * master key. It is not checked. Undefined opens a store that is not encrypted. When LMDB
   * encrypts, a wrong key can crash a separate process.
   */
  readonly environmentKey?: string | undefined;
  /** `StoreKeys.vaultKey`; needed when `environmentKey` is given and the vault is read too. */
  readonly vaultKey?: string | undefined;
  /**
   * The vault cannot be read without the graph, which says how much of the vault belongs to a
   * commit.
   */
  readonly environments: readonly EnvironmentName[];
}

/** A reader that can also stay at one commit for longer than a turn. */
export interface HoldingReader extends SnapshotReader {
  /**
   * Holds the newest commit, unchanged until it is disposed, whatever is written in that time. Its
   * pages cannot be reused, so the files grow: hold for seconds, not for hours.
   */
  hold(): HeldReader;
}

/**
 * Opens a reader of the state in any thread. A reader of the graph alone scans twice as fast as one
 * that also reads the vault: open two readers where speed matters. Throws the problems of
 * `readStoreKeys`, unless `environmentKey` is given, and of `openEnvironment`.
 */
export function openSnapshotReader(options: SnapshotReaderOptions): HoldingReader {
  const { storage, environments } = options;
  if (!environments.includes('vault')) return openGraphSnapshot(options);
  const { environmentKey, vaultKey } =
    'environmentKey' in options ? options : readStoreKeys(options);
  const opening = { storage, readOnly: true };
  const { graph, vault } = openEnvironments({ ...opening, environmentKey, vaultKey });
  return new GraphAndVaultReader(graph, vault);
}

/** The same for the graph alone. */
export function openGraphSnapshot(
  options: Omit<SnapshotReaderOptions, 'environments'>,
): HoldingReader & TurnHolder {
  const { environmentKey } = 'environmentKey' in options ? options : readStoreKeys(options);
  const opening = { storage: options.storage, readOnly: true, encryptionKey: environmentKey };
  return new GraphReader(openEnvironment('graph', opening));
}

/**
 * lmdb-js keeps one read transaction for each open environment. It begins with the first read. It
 * ends at `resetReadTxn`, or by a timer, so between two turns of the event loop. So all reads of a
 * turn see one commit, and an idle reader holds no old pages.
 */
class GraphReader extends StoresReader implements HoldingReader, TurnHolder {
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
    return holdWithFile(this.#graph, undefined);
  }

  holdTurn(): HeldState {
    // Read first: the transaction of this turn begins with its first read.
    const { sequence } = this;
    return holdTurn(this.#graph, sequence);
  }

  [Symbol.dispose](): void {
    void this.#graph.root.close();
  }
}

/** Holds a pair of transactions for each turn. */
class GraphAndVaultReader implements HoldingReader {
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

  countRange(db: DatabaseNumber, range: KeyRange): number {
    return this.#current().countRange(db, range);
  }

  hold(): HeldReader {
    return holdWithFile(this.#graph, this.#vault);
  }

  [Symbol.dispose](): void {
    this.#end();
    void this.#graph.root.close();
    void this.#vault.root.close();
  }

  #current(): HeldReader {
    if (this.#held === undefined) {
      this.#held = holdNewest(this.#graph, this.#vault);
      // The callback of a timer is a separate turn.
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

/** A snapshot whose pieces can be read until it is disposed. */
export interface SnapshotLease extends Disposable {
  readonly manifest: Manifest;
  /** Reads a piece. The bytes belong to the caller. Throws the problem `piece_not_found`. */
  read(digest: string): Promise<Uint8Array>;
}
