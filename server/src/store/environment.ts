import { accessSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '#base/assert.ts';
import { PAGE_REUSE_DELAY_MS } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { open, type RootDatabase, type RootDatabaseOptionsWithPath, type Transaction } from 'lmdb';
import { CheckedValues } from './checked-values.ts';
import { keyCodec, valueCodec } from './codecs.ts';
import { LMDB_FILE } from './lmdb-file/page-format.ts';
import { DATABASES, LOCAL_DATABASES } from './databases.ts';
import { readForm, sealedRootKey, SEALS_DATABASE, SealSalts, writeForm } from './seal-salts.ts';
import { SealedValues } from './sealed-values.ts';
import { type SettledEnvironment, settleEnvironment } from './steady/settle-environment.ts';
import { SteadyEnvironment } from './steady/steady-environment.ts';
import { storageProblem } from './storage-problem.ts';
import { TieredStore } from './tiered-store.ts';
import { TransactionWrites } from './transaction-writes.ts';
import { APPLIED_NUMBER, plainValues, type ValueForm, type ValueSeal } from './value-seal.ts';
import { type Store, ValueStore } from './value-store.ts';

export type EnvironmentName = 'graph' | 'vault';

/** Address space of a process on a kernel with 39 bits for it, such as that of Raspberry Pi. */
export const NARROW_ADDRESSES = 2 ** 39;

/**
 * The size to which an environment may grow. It takes address space, of which a process has 2^47
 * bytes on x64, not memory or disk: the file grows as it is filled. LMDB ends the process when no
 * address space is left, so the size is no larger than needed, and elsewhere it fits twice into
 * `NARROW_ADDRESSES`: a process may open a second store, to verify a backup.
 */
export function mapBytesOn(cpu: string): Readonly<Record<EnvironmentName, number>> {
  return { graph: cpu === 'x64' ? 2 ** 39 : NARROW_ADDRESSES / 4, vault: 2 ** 34 };
}

export const MAP_BYTES = mapBytesOn(process.arch);
const DATABASES_MAX = 32;
/**
 * Read transactions of all threads and processes at a time. Each call of an endpoint that waits for
 * something may hold one: see `ENDPOINT_CALLS_MAX`.
 */
const READERS_MAX = 2_048;
/** Holds the one record of `applied.ts`; its name cannot clash with a number of `DATABASES`. */
export const APPLIED_DATABASE = 'applied';

/** One opened LMDB environment. */
export interface Environment {
  /** Its folder. */
  readonly path: string;
  readonly root: RootDatabase<Uint8Array, Uint8Array>;
  /**
   * By database number. There are holes for numbers of the other environment. When opened
   * read-only, there are also holes for databases that no version of the server has made in this
   * store yet.
   */
  readonly stores: readonly (ValueStore | undefined)[];
  readonly applied: ValueStore;
  /** Seals and opens all values of the environment. */
  readonly seal: ValueSeal;
  /** Present when LMDB encrypts the environment and it is open for writing. */
  readonly pageReuse: Disposable | undefined;
  /** Present when it is open for writing and LMDB does not flush it. */
  readonly steady: SteadyEnvironment | undefined;
  /** Present when `steady` is. */
  readonly writes: TransactionWrites | undefined;
}

export interface Environments {
  readonly graph: Environment;
  readonly vault: Environment;
}

/** The size of its file, which never shrinks. */
export function fileBytesOf({ path }: Pick<Environment, 'path'>): number {
  return statSync(join(path, LMDB_FILE)).size;
}

interface OpeningOptions {
  readonly storage: string;
  readonly readOnly: boolean;
  /**
   * How the values are stored, according to the file of the store. When it is absent, the
   * environment is asked: it holds the same once it was opened for writing.
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
 * Opens `<storage>/<name>`. Read-write also creates what is missing. Only the one writer may open
 * it so, and it must do so before this process opens it read-only, since all threads share one
 * handle. Read-only works in any thread and process, also in a worker under the permission model.
 * Throws the problem `storage_failed` (or `storage_full`) when LMDB cannot open it.
 *
 * LMDB does not flush what it writes: see `SteadyEnvironment`. After a power failure the
 * environment is whole and at its last steady point; the log then brings it up to date. Only where
 * LMDB encrypts the pages, it flushes after each transaction, and nobody waits for that (its
 * overlapping sync).
 */
export function openEnvironment(name: EnvironmentName, options: EnvironmentOptions): Environment {
  const path = join(options.storage, name);
  try {
    // If the store is gone, LMDB would make an empty folder in its place.
    if (options.readOnly) accessSync(join(path, LMDB_FILE));
    return openStores(name, path, options);
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw storageProblem('opening', path, cause);
  }
}

export function openEnvironments(options: EnvironmentsOptions): Environments {
  const { environmentKey, vaultKey, ...opening } = options;
  // The vault comes first, as at a steady point.
  const vault = openEnvironment('vault', { ...opening, encryptionKey: vaultKey });
  try {
    return {
      graph: openEnvironment('graph', { ...opening, encryptionKey: environmentKey }),
      vault,
    };
  } catch (error) {
    abandon(vault);
    throw error;
  }
}

function abandon({ root, steady }: Pick<Environment, 'root' | 'steady'>): void {
  steady?.abandon();
  void root.close();
}

function openStores(
  name: EnvironmentName,
  path: string,
  { readOnly, encryptionKey, values }: EnvironmentOptions,
): Environment {
  const rootKey = encryptionKey === undefined ? undefined : sealedRootKey(encryptionKey);
  const pageKey = rootKey === undefined ? encryptionKey : undefined;
  const settled = readOnly || pageKey !== undefined ? undefined : settleEnvironment(path);
  const options = {
    path,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: DATABASES_MAX,
    maxReaders: READERS_MAX,
    readOnly,
    // Only `batch` begins transactions. With this setting on, a failing transaction would also
    // reject a promise that nobody has.
    eventTurnBatching: false,
    permissionsMode: 0o600,
    // LMDB maps an encrypted environment chunk by chunk, without a map size.
    ...(pageKey === undefined ? { mapSize: MAP_BYTES[name] } : { encryptionKey: pageKey }),
    ...(settled === undefined ? {} : { noSync: true, overlappingSync: false }),
  } as const;
  const { root, steady } = openRoot(path, options, settled);
  const codecs = { encoding: 'binary', keyEncoder: keyCodec(), encoder: valueCodec() } as const;
  const openStore = (database: string): Store | undefined =>
    root.openDB({ name: database, ...codecs });
  try {
    const writes = steady === undefined ? undefined : new TransactionWrites(root);
    const seal = openSeal(openStore(SEALS_DATABASE), { path, readOnly, values, rootKey, writes });
    const stores: (ValueStore | undefined)[] = [];
    for (const spec of [...DATABASES, ...LOCAL_DATABASES]) {
      if (spec.environment !== name) continue;
      const { number, recentName } = spec;
      const stored = openStore(spec.name);
      if (stored === undefined) continue;
      // Folders whose values are plain keep the format of the version that made them.
      const recent =
        recentName === undefined || seal.form === 'plain' ? undefined : openStore(recentName);
      stores[number] =
        recent === undefined
          ? new ValueStore(stored, number, seal, writes)
          : new TieredStore(stored, recent, number, seal, writes);
    }
    const applied = must(openStore(APPLIED_DATABASE), `database ${APPLIED_DATABASE}`);
    return {
      path,
      root,
      stores,
      applied: new ValueStore(applied, APPLIED_NUMBER, seal, writes),
      seal,
      pageReuse: pageKey !== undefined && !readOnly ? new PageReuseDelay(root) : undefined,
      steady,
      writes,
    };
  } catch (error) {
    abandon({ root, steady });
    throw error;
  }
}

/** Opens LMDB, and holds what it shows before anything can be written. */
function openRoot(
  path: string,
  options: RootDatabaseOptionsWithPath,
  settled: SettledEnvironment | undefined,
): Pick<Environment, 'root' | 'steady'> {
  let root: Root | undefined;
  try {
    root = open<Uint8Array, Uint8Array>(options);
    const steady = settled === undefined ? undefined : new SteadyEnvironment(root, path, settled);
    return { root, steady };
  } catch (error) {
    settled?.steady[Symbol.dispose]();
    void root?.close();
    throw error;
  }
}

interface SealOptions {
  /** The folder of the environment. */
  readonly path: string;
  readonly readOnly: boolean;
  /** As the file of the store says; undefined when the caller has not read it. */
  readonly values: ValueForm | undefined;
  readonly rootKey: Uint8Array | undefined;
  readonly writes: TransactionWrites | undefined;
}

/**
 * The seal of an environment, through which all values are written and read. Its database `seals`
 * also holds the form of the values, for readers that may read the environment but not the file of
 * the store. The first opening for writing stores the form there.
 */
function openSeal(seals: Store | undefined, options: SealOptions): ValueSeal {
  const { path, readOnly, values, rootKey, writes } = options;
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
        new SealSalts(must(seals, 'the database of seals'), writes),
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
  /** The commit that the transaction sees. */
  readonly commit: number;
}

/**
 * Keeps LMDB from reusing pages of an encrypted environment that were in use a moment ago.
 *
 * LMDB keeps such pages decrypted, in rows of 16, as long as any transaction of the process uses
 * one page of the row. It does not notice when a page of the row is overwritten in that time
 * (`mdb_rpage_get`, and the end of a transaction, in liblmdb's mdb.c). When transactions of several
 * threads overlap without a gap, a later one then reads the old content. LMDB overwrites a page
 * once no transaction can see its old content. So this class holds a transaction that reads
 * nothing. It replaces it with a newer one only some seconds after the last transaction of the same
 * age has ended; by then LMDB has dropped what those had decrypted. The file is larger by what is
 * written in that time.
 */
class PageReuseDelay implements Disposable {
  readonly #root: Root;
  readonly #timer: NodeJS.Timeout;
  #held: HeldTransaction;
  #next: HeldTransaction;
  /**
   * Whether the held transaction is the only one that is older than the next one. New transactions
   * are always newer.
   */
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

  /** Takes one step. The timer leaves some time between steps. */
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
    // Later reads use another transaction.
    this.#root.resetReadTxn();
    return { transaction, commit: Math.max(...commitsBeingRead(this.#root)) };
  }
}

/**
 * The commits that read transactions see, one for each transaction. They come from LMDB's table of
 * readers, whose columns are process, thread, and the commit or a dash.
 */
function commitsBeingRead(root: Root): number[] {
  const rows = root.readerList().matchAll(/^\s*\d+\s+[\da-f]+\s+(\d+)\s*$/gim);
  return [...rows].map(([, commit]) => Number(commit));
}
