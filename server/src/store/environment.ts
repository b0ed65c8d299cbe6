import { accessSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '#base/assert.ts';
import { PAGE_REUSE_DELAY_MS } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { open, type RootDatabase, type Transaction } from 'lmdb';
import { CheckedValues } from './checked-values.ts';
import { keyCodec, valueCodec } from './codecs.ts';
import { DATABASES } from './databases.ts';
import { readForm, sealedRootKey, SEALS_DATABASE, SealSalts, writeForm } from './seal-salts.ts';
import { SealedValues } from './sealed-values.ts';
import { storageProblem } from './storage-problem.ts';
import { APPLIED_NUMBER, plainValues, type ValueForm, type ValueSeal } from './value-seal.ts';
import { type Store, ValueStore } from './value-store.ts';

export type EnvironmentName = 'graph' | 'vault';

/**
 * To what an environment may grow. It is address space, of which a process has 2^47 bytes, and not
 * memory or disk: the file grows as it is filled. LMDB ends the process when there is no address
 * space left, so it is not more than needed.
 */
export const MAP_BYTES: Readonly<Record<EnvironmentName, number>> = {
  graph: 2 ** 39,
  vault: 2 ** 34,
};
/** In its folder. */
export const LMDB_FILE = 'data.mdb';
const DATABASES_MAX = 32;
/** Holds the one record of `applied.ts`; its name cannot clash with a number of `DATABASES`. */
export const APPLIED_DATABASE = 'applied';

/** One opened LMDB environment. */
export interface Environment {
  /** Its folder. */
  readonly path: string;
  readonly root: RootDatabase<Uint8Array, Uint8Array>;
  /**
   * By database number; holes where the number belongs to the other environment, and, read-only,
   * where no version that has the database has opened the store for writing yet.
   */
  readonly stores: readonly (ValueStore | undefined)[];
  readonly applied: ValueStore;
  /** Seals and opens all its values. */
  readonly seal: ValueSeal;
  /** Where LMDB encrypts it, and it is open for writing. */
  readonly pageReuse: Disposable | undefined;
}

export interface Environments {
  readonly graph: Environment;
  readonly vault: Environment;
}

interface OpeningOptions {
  readonly storage: string;
  readonly readOnly: boolean;
  /**
   * What the store's file says of its values. Left out, the environment says it itself: it does so
   * once it was written to.
   */
  readonly values?: ValueForm | undefined;
}

export interface EnvironmentOptions extends OpeningOptions {
  /** The key of this environment: see `StoreKeys`. */
  readonly encryptionKey?: string | undefined;
}

export interface EnvironmentsOptions extends OpeningOptions {
  readonly environmentKey?: string | undefined;
  readonly vaultKey?: string | undefined;
}

/**
 * Opens `<storage>/<name>`. Read-write also creates what is missing; only the one writer may do
 * that, and before this process opens it read-only, for all its threads share one handle. Read-only
 * works in any thread and process, also in a worker under the permission model. Throws the problem
 * `storage_failed` (or `storage_full`) when LMDB cannot open it.
 *
 * LMDB's flush follows each transaction without being waited for (its overlapping sync): after a
 * loss of power the environment is whole, at its last flushed transaction, and the log brings it up
 * to date.
 */
export function openEnvironment(name: EnvironmentName, options: EnvironmentOptions): Environment {
  const path = join(options.storage, name);
  try {
    // LMDB would make the folder of a store that is gone, and find nothing in it.
    if (options.readOnly) accessSync(join(path, LMDB_FILE));
    return openStores(name, path, options);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw storageProblem('opening', path, cause);
  }
}

export function openEnvironments(options: EnvironmentsOptions): Environments {
  const { environmentKey, vaultKey, ...opening } = options;
  const graph = openEnvironment('graph', { ...opening, encryptionKey: environmentKey });
  try {
    return { graph, vault: openEnvironment('vault', { ...opening, encryptionKey: vaultKey }) };
  } catch (error) {
    void graph.root.close();
    throw error;
  }
}

function openStores(
  name: EnvironmentName,
  path: string,
  { readOnly, encryptionKey, values }: EnvironmentOptions,
): Environment {
  const rootKey = encryptionKey === undefined ? undefined : sealedRootKey(encryptionKey);
  const pageKey = rootKey === undefined ? encryptionKey : undefined;
  const options = {
    path,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: DATABASES_MAX,
    readOnly,
    // Transactions are begun by `batch` alone. Left on, a failing one also rejects a promise that
    // nobody is handed.
    eventTurnBatching: false,
    permissionsMode: 0o600,
    // An environment that LMDB encrypts maps chunk by chunk by itself.
    ...(pageKey === undefined ? { mapSize: MAP_BYTES[name] } : { encryptionKey: pageKey }),
  } as const;
  const root = open<Uint8Array, Uint8Array>(options);
  const codecs = { encoding: 'binary', keyEncoder: keyCodec(), encoder: valueCodec() } as const;
  const openStore = (database: string): Store | undefined =>
    root.openDB({ name: database, ...codecs });
  try {
    const seal = openSeal(openStore(SEALS_DATABASE), { path, readOnly, values, rootKey });
    const stores: (ValueStore | undefined)[] = [];
    for (const { number, name: database, environment } of DATABASES) {
      if (environment !== name) continue;
      const stored = openStore(database);
      if (stored !== undefined) stores[number] = new ValueStore(stored, number, seal);
    }
    const applied = must(openStore(APPLIED_DATABASE), `database ${APPLIED_DATABASE}`);
    return {
      path,
      root,
      stores,
      applied: new ValueStore(applied, APPLIED_NUMBER, seal),
      seal,
      pageReuse: pageKey !== undefined && !readOnly ? new PageReuseDelay(root) : undefined,
    };
  } catch (error) {
    void root.close();
    throw error;
  }
}

interface SealOptions {
  /** The folder of the environment. */
  readonly path: string;
  readonly readOnly: boolean;
  /** As the store's file says; undefined where nobody has looked. */
  readonly values: ValueForm | undefined;
  readonly rootKey: Uint8Array | undefined;
}

/**
 * What the values of an environment come and go through. Its database `seals` says the form too,
 * for whoever may read the environment and not the file of the store; the first who opens it for
 * writing notes it there.
 */
function openSeal(seals: Store | undefined, options: SealOptions): ValueSeal {
  const { path, readOnly, values, rootKey } = options;
  const noted = readForm(seals);
  const form = rootKey === undefined ? (values ?? noted ?? 'plain') : 'sealed';
  if (noted === undefined ? readOnly && form !== 'plain' : noted !== form) {
    throw otherForm(path, `its values are ${noted ?? 'plain'}, and ${form} was expected`);
  }
  if (form === 'sealed' && rootKey === undefined) throw otherForm(path, 'its key is missing');
  if (noted === undefined && form !== 'plain')
    writeForm(must(seals, 'the database of seals'), form);
  switch (form) {
    case 'plain':
      return plainValues;
    case 'checked':
      return new CheckedValues();
    case 'sealed':
      return new SealedValues(
        must(rootKey, 'the key of the values'),
        new SealSalts(must(seals, 'the database of seals')),
      );
  }
}

function otherForm(path: string, why: string): Problem {
  return new Problem(
    'store_format_unknown',
    `the environment in ${path} cannot be opened: ${why}`,
    {
      hint: 'Start the version that wrote the folder, or restore a backup into an empty folder.',
    },
  );
}

type Root = RootDatabase<Uint8Array, Uint8Array>;

interface HeldTransaction {
  readonly transaction: Transaction;
  /** The commit that it sees. */
  readonly commit: number;
}

/**
 * Keeps LMDB from writing pages of an encrypted environment anew that were in use a moment ago.
 *
 * LMDB keeps such pages decrypted, 16 in a row, for as long as any transaction of the process has
 * one of the row, and does not notice when a page among them is written anew meanwhile
 * (`mdb_rpage_get`, and the end of a transaction, in liblmdb's mdb.c): where the transactions of
 * several threads overlap without a gap, a later one reads what was there before. A page is written
 * anew once no transaction can see its old content. So one is held here that reads nothing itself,
 * and is let go for a newer one only some seconds after the last that was as old has ended: what
 * those had decrypted has been given up by then. The file is greater by what is written in that
 * time.
 */
class PageReuseDelay implements Disposable {
  readonly #root: Root;
  readonly #timer: NodeJS.Timeout;
  #held: HeldTransaction;
  #next: HeldTransaction;
  /** Whether the held one is the only one that is older than the next: all that begin are newer. */
  #isAlone = false;

  constructor(root: Root) {
    this.#root = root;
    this.#held = this.#begin();
    this.#next = this.#begin();
    this.#timer = setInterval(() => this.#advance(), PAGE_REUSE_DELAY_MS).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#held.transaction.done();
    this.#next.transaction.done();
  }

  /** Each step is taken some time after the one before. */
  #advance(): void {
    if (!this.#isAlone) {
      const { commit } = this.#next;
      const older = commitsBeingRead(this.#root).filter((other) => other < commit);
      this.#isAlone = older.length <= 1;
      return;
    }
    this.#held.transaction.done();
    this.#held = this.#next;
    this.#next = this.#begin();
    this.#isAlone = false;
  }

  #begin(): HeldTransaction {
    this.#root.resetReadTxn();
    const transaction = this.#root.useReadTransaction();
    // What is read from here on is read by another one.
    this.#root.resetReadTxn();
    return { transaction, commit: Math.max(...commitsBeingRead(this.#root)) };
  }
}

/**
 * One for each transaction that reads, from LMDB's table of them: process, thread, and the commit
 * or a dash.
 */
function commitsBeingRead(root: Root): number[] {
  const rows = root.readerList().matchAll(/^\s*\d+\s+[\da-f]+\s+(\d+)\s*$/gim);
  return [...rows].map(([, commit]) => Number(commit));
}
