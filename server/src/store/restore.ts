import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { assert, must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { putGraphApplied, putVaultApplied } from './applied.ts';
import { readBatch } from './batch.ts';
import type { DatabaseNumber } from './databases.ts';
import { openEnvironments } from './environment.ts';
import type { Environment } from './environment.ts';
import { snapshotCorrupt } from './manifest.ts';
import type { Manifest, ManifestPiece } from './manifest.ts';
import { STORE_FILE, openStoreKeys } from './master-key.ts';
import { pieceDigest } from './piece.ts';
import { syncFolder } from './sync-folder.ts';
import { closeWritten, writeTransaction } from './write-transaction.ts';

/** Where pieces come from. */
export interface SnapshotSource {
  read(digest: string): Promise<Uint8Array>;
}

export interface RestoreOptions {
  /** Without a store; other files may be there. */
  readonly storage: string;
  /** The restored store is encrypted with it, whether the one that the snapshot was taken of was or not. */
  readonly masterKey?: string | undefined;
  readonly clock: Clock;
}

/** The store is made here and put in place when it is whole; what a crash left here is cleared by the next restore. */
const RESTORING_FOLDER = 'restoring';

/**
 * Makes the store that a snapshot was taken of. Every piece is verified before it is used; with the problem `snapshot_corrupt`
 * nothing is put in place. `storage_not_empty` when a store is there already. The log of the store has the manifest's epoch,
 * and goes on after its sequence.
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
  // store.json last: without it the folder is refused as a store.
  for (const name of ['graph', 'vault', STORE_FILE]) {
    renameSync(join(folder, name), join(storage, name));
    syncFolder(storage);
  }
  rmSync(folder, { recursive: true });
}

async function load(manifest: Manifest, source: SnapshotSource, options: RestoreOptions) {
  const { storage } = options;
  const encryptionKey = openStoreKeys(options).environmentKey;
  const { graph, vault } = openEnvironments({ storage, readOnly: false, encryptionKey });
  try {
    for (const { number, pieces } of manifest.databases) {
      const environment = graph.stores[number] === undefined ? vault : graph;
      await loadDatabase(environment, number, pieces, source);
    }
    const { epoch, sequence } = manifest;
    await writeTransaction(vault, () => putVaultApplied(vault, sequence));
    await writeTransaction(graph, () =>
      putGraphApplied(graph, { sequence, vaultSequence: sequence, epoch }),
    );
  } finally {
    // Closing flushes.
    await Promise.all([graph, vault].map(closeWritten));
  }
}

async function loadDatabase(
  environment: Environment,
  db: DatabaseNumber,
  pieces: readonly ManifestPiece[],
  source: SnapshotSource,
): Promise<void> {
  const store = must(environment.stores[db], `database ${db}`);
  let after: Uint8Array = new Uint8Array(0);
  for (const piece of pieces) {
    const bytes = await source.read(piece.digest);
    after = checkPiece(piece, bytes, db, after);
    await writeTransaction(environment, () => {
      readBatch(bytes, (_db, key, value) => void store.put(key, must(value, 'a value')));
    });
  }
}

/**
 * The digest tells that a piece is the one that the manifest names, and the rest that it belongs there: puts into one database,
 * as many as listed, and in the order of keys from piece to piece. Answers the last key.
 */
function checkPiece(
  piece: ManifestPiece,
  bytes: Uint8Array,
  db: DatabaseNumber,
  after: Uint8Array,
): Uint8Array {
  if (bytes.length !== piece.bytes || pieceDigest(bytes) !== piece.digest) {
    throw snapshotCorrupt(`piece ${piece.digest} has other content`);
  }
  let last = after;
  let entries = 0;
  try {
    readBatch(bytes, (number, key, value) => {
      assert(number === db && value !== undefined, 'another operation than a put');
      assert(Buffer.compare(last, key) < 0, 'keys out of order');
      last = key;
      entries++;
    });
    assert(entries === piece.entries, `${entries} entries`);
  } catch (cause) {
    throw snapshotCorrupt(`piece ${piece.digest} does not belong where it is listed`, cause);
  }
  return last;
}

function notEmpty(storage: string): Problem {
  return new Problem('storage_not_empty', `there is a store in ${storage} already`, {
    hint: 'Restore into an empty folder, then start with it.',
  });
}
