import { join } from 'node:path';
import { open } from 'lmdb';
import type { Database, RootDatabase } from 'lmdb';
import { must } from '#base/assert.ts';
import { keyCodec, valueCodec } from './codecs.ts';
import { DATABASES } from './databases.ts';
import { PageReuseDelay } from './page-reuse.ts';
import { storageProblem } from './storage-problem.ts';

export type EnvironmentName = 'graph' | 'vault';

/**
 * To what an environment may grow. It is address space, of which a process has 2^47 bytes, and not memory or disk: the file
 * grows as it is filled. LMDB ends the process when there is no address space left, so it is not more than needed.
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

export type Store = Database<Uint8Array, Uint8Array>;

/** One opened LMDB environment. */
export interface Environment {
  /** Its folder. */
  readonly path: string;
  readonly root: RootDatabase<Uint8Array, Uint8Array>;
  /**
   * By database number; holes where the number belongs to the other environment, and, read-only, where no version that has the
   * database has opened the store for writing yet.
   */
  readonly stores: readonly (Store | undefined)[];
  readonly applied: Store;
  /** Where it is encrypted, and open for writing. */
  readonly pageReuse: Disposable | undefined;
}

export interface Environments {
  readonly graph: Environment;
  readonly vault: Environment;
}

export interface EnvironmentOptions {
  readonly storage: string;
  readonly readOnly: boolean;
  /** 32 characters: see `master-key.ts`. LMDB then encrypts every page. */
  readonly encryptionKey?: string | undefined;
}

/**
 * Opens `<storage>/<name>`. Read-write also creates what is missing; only the one writer may do that, and before this process
 * opens it read-only, for all its threads share one handle. Read-only works in any thread and process, also in a worker
 * under the permission model. Throws the problem `storage_failed` (or `storage_full`) when LMDB cannot open it.
 *
 * LMDB's flush follows each transaction without being waited for (its overlapping sync): after a loss of power the environment
 * is whole, at its last flushed transaction, and the log brings it up to date.
 */
export function openEnvironment(name: EnvironmentName, options: EnvironmentOptions): Environment {
  const path = join(options.storage, name);
  try {
    return openStores(name, path, options);
  } catch (cause) {
    throw storageProblem('opening', path, cause);
  }
}

export function openEnvironments(options: EnvironmentOptions): Environments {
  const graph = openEnvironment('graph', options);
  try {
    return { graph, vault: openEnvironment('vault', options) };
  } catch (error) {
    void graph.root.close();
    throw error;
  }
}

function openStores(
  name: EnvironmentName,
  path: string,
  { readOnly, encryptionKey }: EnvironmentOptions,
): Environment {
  const options = {
    path,
    encoding: 'binary',
    keyEncoding: 'binary',
    maxDbs: DATABASES_MAX,
    readOnly,
    // Transactions are begun by `batch` alone. Left on, a failing one also rejects a promise that nobody is handed.
    eventTurnBatching: false,
    permissionsMode: 0o600,
    // An encrypted environment maps chunk by chunk by itself.
    ...(encryptionKey === undefined ? { mapSize: MAP_BYTES[name] } : { encryptionKey }),
  } as const;
  const root = open<Uint8Array, Uint8Array>(options);
  const codecs = { encoding: 'binary', keyEncoder: keyCodec(), encoder: valueCodec() } as const;
  const openStore = (database: string): Store | undefined =>
    root.openDB({ name: database, ...codecs });
  const stores: (Store | undefined)[] = [];
  for (const { number, name: database, environment } of DATABASES) {
    if (environment === name) stores[number] = openStore(database);
  }
  const isEncrypted = encryptionKey !== undefined;
  return {
    path,
    root,
    stores,
    applied: must(openStore(APPLIED_DATABASE), `database ${APPLIED_DATABASE}`),
    pageReuse: isEncrypted && !readOnly ? new PageReuseDelay(root) : undefined,
  };
}
