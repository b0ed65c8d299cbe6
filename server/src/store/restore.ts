import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { assert, AssertionError, must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { releaseMemory } from '#base/release-memory.ts';
import { putGraphApplied, putVaultApplied } from './applied.ts';
import { type Environment, openEnvironments } from './environment.ts';
import { type Manifest, type ManifestPiece, snapshotCorrupt } from './manifest.ts';
import { openStoreKeys, STORE_FILE } from './master-key.ts';
import { pieceDigest } from './piece.ts';
import { syncFolder } from './sync-folder.ts';
import { closeEnvironments, writeTransaction } from './write-transaction.ts';
import { TransactionFlags } from 'lmdb';
import { KeyScratch, readPlaces } from './batch.ts';
import type { DatabaseNumber } from './databases.ts';
import { storageProblem } from './storage-problem.ts';

/** Where pieces come from. */
export interface SnapshotSource {
  /** Reads a piece. The bytes belong to the caller. */
  read(digest: string): Promise<Uint8Array>;
  /** True when `read` has already compared the bytes with the digest. */
  readonly isVerified?: boolean;
}

export interface RestoreOptions {
  /** A folder without a store; it may hold other files. */
  readonly storage: string;
  /**
   * The restored store is encrypted with this key; not encrypted when it is absent. It does not
   * matter whether the original store was encrypted.
   */
  readonly masterKey?: string | undefined;
  readonly clock: Clock;
}

/**
 * The store is made in this folder, and moved to its place when it is whole. The next restore
 * removes what a crash left here.
 */
const RESTORING_FOLDER = 'restoring';

/**
 * Makes a store from a snapshot. Every piece is verified before it is used. Throws
 * `snapshot_corrupt`, and then leaves no store; throws `storage_not_empty` when there is a store
 * already. The log of the store must have the epoch of the manifest and continue after its
 * sequence.
 */
export async function restoreSnapshot(
  manifest: Manifest,
  source: SnapshotSource,
  options: RestoreOptions,
): Promise<void> {
  const { storage } = options;
  for (const name of [STORE_FILE, 'graph', 'vault']) {
    if (existsSync(join(storage, name))) throw notEmpty(storage);
  }
  const folder = join(storage, RESTORING_FOLDER);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    await load(manifest, source, { ...options, storage: folder });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  // store.json comes last: without it the folder is not a store.
  for (const name of ['graph', 'vault', STORE_FILE]) {
    renameSync(join(folder, name), join(storage, name));
    syncFolder(storage);
  }
  rmSync(folder, { recursive: true });
}

async function load(manifest: Manifest, source: SnapshotSource, options: RestoreOptions) {
  const { storage } = options;
  const keys = openStoreKeys(options);
  const pieces = new VerifiedPieces(source);
  const { graph, vault } = openEnvironments({ storage, readOnly: false, ...keys });
  try {
    for (const database of manifest.databases) {
      const environment = graph.stores[database.number] === undefined ? vault : graph;
      for (const piece of database.pieces) {
        const bytes = await pieces.read(piece);
        addPiece(piece, () => appendTransaction(environment, database.number, bytes));
        releaseMemory(bytes);
      }
    }
    const { epoch, sequence } = manifest;
    await writeTransaction(vault, () => putVaultApplied(vault, sequence));
    await writeTransaction(graph, () =>
      putGraphApplied(graph, { sequence, vaultSequence: sequence, epoch }),
    );
  } finally {
    // Closing the environments flushes them.
    await closeEnvironments({ graph, vault });
  }
  for (const { path } of [graph, vault]) syncFolder(path);
}

/** Reads pieces and verifies that each has its digest. */
class VerifiedPieces {
  readonly #source: SnapshotSource;

  constructor(source: SnapshotSource) {
    this.#source = source;
  }

  async read(piece: ManifestPiece): Promise<Uint8Array> {
    const bytes = await this.#source.read(piece.digest);
    const isSame =
      bytes.length === piece.bytes &&
      (this.#source.isVerified === true || pieceDigest(bytes) === piece.digest);
    if (!isSame) throw otherContent(piece);
    return bytes;
  }
}

/**
 * The digest shows that a piece is the one that the manifest names. This checks that the piece fits
 * there: it puts into one database, as many entries as listed, in the order of keys from piece to
 * piece.
 */
function addPiece(piece: ManifestPiece, add: () => Appended): void {
  let appended: Appended;
  try {
    appended = add();
  } catch (cause) {
    if (!(cause instanceof AssertionError)) throw cause;
    throw snapshotCorrupt(`piece ${piece.digest} does not belong where it is listed`, cause);
  }
  if (appended.isInOrder && appended.entries === piece.entries) return;
  const what = appended.isInOrder ? `has ${appended.entries} entries` : 'has keys out of order';
  throw snapshotCorrupt(`piece ${piece.digest} does not belong where it is listed: it ${what}`);
}

function otherContent({ digest }: ManifestPiece): Problem {
  return snapshotCorrupt(`piece ${digest} has other content`);
}

function notEmpty(storage: string): Problem {
  return new Problem('storage_not_empty', `there is a store in ${storage} already`, {
    hint: 'Restore into an empty folder, then start with it.',
  });
}

interface Appended {
  readonly entries: number;
  /** Whether every key was above all keys that the database had. */
  readonly isInOrder: boolean;
}

/** No flush after each transaction: closing the environment flushes everything. */
const { ABORTABLE, SYNCHRONOUS_COMMIT, NO_SYNC_FLUSH } = TransactionFlags;
const FLUSHED_LATER = ABORTABLE | SYNCHRONOUS_COMMIT | NO_SYNC_FLUSH;
/** Longer values are not copied, since a new view costs less. */
const COPIED_BYTES_MAX = 64;

/**
 * Appends the entries of a payload to a database, in one transaction of the calling thread, which
 * is blocked until it ends. For a whole state this is half the work of `writeTransaction`: no
 * objects tell another thread of each put, and LMDB need not search for the place of a key. LMDB
 * itself checks the order of the keys.
 *
 * The entries are durable once the environment is closed. Throws the problems `storage_full` and
 * `storage_failed`; an assertion fails when the payload has anything but puts into one database. In
 * these cases nothing is put.
 */
export function appendTransaction(
  environment: Environment,
  db: DatabaseNumber,
  payload: Uint8Array,
): Appended {
  const store = must(environment.stores[db], `database ${db}`);
  const keys = new KeyScratch();
  const values = new ValueScratch(payload);
  let entries = 0;
  let isInOrder = true;
  try {
    environment.root.transactionSync(() => {
      environment.seal.begin(true);
      readPlaces(payload, (number, keyStart, keyEnd, valueStart, valueEnd) => {
        assert(number === db && valueStart >= 0, 'another operation than a put');
        const key = keys.copy(payload, keyStart, keyEnd);
        const value = values.take(valueStart, valueEnd);
        const isAppended = store.append(key, value);
        isInOrder &&= isAppended;
        entries++;
      });
    }, FLUSHED_LATER);
  } catch (error) {
    if (error instanceof AssertionError) throw error;
    throw storageProblem('writing in', environment.path, error);
  }
  environment.seal.committed();
  return { entries, isInOrder };
}

/**
 * Values of a payload, for puts that copy them at once. Short ones are copied into one buffer, with
 * one view for each length.
 */
class ValueScratch {
  readonly #payload: Uint8Array;
  readonly #bytes = new Uint8Array(COPIED_BYTES_MAX);
  readonly #views: Uint8Array[] = [];

  constructor(payload: Uint8Array) {
    this.#payload = payload;
  }

  take(start: number, end: number): Uint8Array {
    const length = end - start;
    const { buffer, byteOffset } = this.#payload;
    if (length > COPIED_BYTES_MAX) return new Uint8Array(buffer, byteOffset + start, length);
    for (let i = 0; i < length; i++) this.#bytes[i] = this.#payload[start + i]!;
    return (this.#views[length] ??= this.#bytes.subarray(0, length));
  }
}
