import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '#base/assert.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { createFileDurably } from '#log/durable-file.ts';
import { lockFolder } from '#log/folder-lock.ts';
import { openSegmentLog } from '#log/segment-log.ts';
import { putGraphApplied, putVaultApplied } from '../applied.ts';
import { readBatch } from '../batch.ts';
import type { DatabaseNumber } from '../databases.ts';
import { openEnvironments, type Environment, type Environments } from '../environment.ts';
import type { Manifest } from '../manifest.ts';
import {
  openStoreKeys,
  readStoreKeys,
  renewStoreFile,
  STORE_FILE,
  type StoreKeys,
} from '../master-key.ts';
import { digestState, takeSnapshot } from '../snapshot.ts';
import { readSigningKey, SIGNING_KEY_FILE, writeSigningKey } from '../signing-key.ts';
import { openSnapshotReader } from '../snapshot-reader.ts';
import { syncFolder } from '../sync-folder.ts';
import { closeEnvironments, writeTransaction } from '../write-transaction.ts';
import { entriesOf } from './entry-counts.ts';
import { COMPLETE_FILE, REWRITING_FOLDER, settleClaimed } from './settle-rewrite.ts';
import type { CompleteRewrite } from './settle-rewrite.ts';
import { openReplayed } from '../state-writer.ts';

export interface RewriteOptions {
  readonly storage: string;
  /** The key with which the store is opened. */
  readonly masterKey: string | undefined;
  /** The key of the new store. When it is absent, keys and log stay as they are. */
  readonly newMasterKey?: string;
  readonly clock: Clock;
  readonly onProgress: (doneEntries: number, totalEntries: number) => void;
  /** Called before each step. */
  readonly onStep: (step: string) => void;
}

/** An archive rule that keeps the whole log. */
const KEEP_ALL = { ttlMs: Number.MAX_SAFE_INTEGER, bytesMax: Number.MAX_SAFE_INTEGER };
/**
 * What of the former store the server can make again: indexes and vectors, which are not encrypted,
 * and pieces and the inputs of endpoints, which were sealed with the former key.
 */
const MADE_AGAIN = ['search', 'vectors', 'snapshot', 'pieces', 'endpoint-inputs.txt'];

/**
 * Writes the state of a stopped store into a new store, entry by entry in the order of keys. So it
 * takes the least room, and with a new master key nothing of it can be read with the former key.
 * The new store is made beside the former one, compared with it, and replaces it once it is whole.
 * If the process is killed at any time, the folder holds one of the two: see `settleRewrite`, with
 * which the next start and the next command begin. Returns the manifest of the state.
 *
 * The new store has the newest format. With a new key, a new log begins after the state, in the
 * same epoch. Throws `storage_in_use`, `storage_full`, and the problems of `openReplayed`.
 */
export async function rewriteStore(options: RewriteOptions): Promise<Manifest> {
  const { storage, newMasterKey, onStep } = options;
  using _claim = lockFolder(storage);
  settleClaimed(storage, onStep);
  const folder = join(storage, REWRITING_FOLDER);
  const manifest = await makeStore(options, folder);
  const entries = ['graph', 'vault', STORE_FILE];
  if (newMasterKey !== undefined) entries.push('log', SIGNING_KEY_FILE);
  const complete: CompleteRewrite = {
    entries,
    removed: newMasterKey === undefined ? [] : MADE_AGAIN,
  };
  onStep('completing');
  await createFileDurably(folder, COMPLETE_FILE, Buffer.from(JSON.stringify(complete)));
  settleClaimed(storage, onStep);
  return manifest;
}

/** Whether the store is encrypted with this key. */
export function isOpenedBy(storage: string, masterKey: string): boolean {
  try {
    readStoreKeys({ storage, masterKey });
    return true;
  } catch (error) {
    const isOther =
      error instanceof Problem && ['wrong_master_key', 'store_not_encrypted'].includes(error.code);
    if (isOther) return false;
    throw error;
  }
}

/** Makes the new store, and checks that it is equal to the former one. */
async function makeStore(options: RewriteOptions, folder: string): Promise<Manifest> {
  const { storage, masterKey, newMasterKey, clock, onStep } = options;
  requireStore(storage);
  onStep('opening');
  const { logKey } = readStoreKeys({ storage, masterKey });
  await using log = await openSegmentLog({
    folder: join(storage, 'log'),
    clock,
    archive: KEEP_ALL,
    ...(logKey === undefined ? {} : { encryptionKey: logKey }),
  });
  const { applier } = await openReplayed({ storage, log, masterKey, clock });
  await applier.close();
  mkdirSync(folder, { mode: 0o700 });
  const keys =
    newMasterKey === undefined
      ? renewStoreFile({ storage, masterKey }, folder)
      : openStoreKeys({ storage: folder, masterKey: newMasterKey, clock });
  onStep('copying');
  const manifest = await copyState(options, folder, keys);
  onStep('comparing');
  const { environmentKey, vaultKey } = keys;
  const reader = { storage: folder, environmentKey, vaultKey };
  using written = openSnapshotReader({ ...reader, environments: ['graph', 'vault'] });
  const { digest } = await digestState(written);
  if (digest !== manifest.digest) {
    throw new Problem('storage_failed', 'the store that was written is not the one that was read', {
      hint: 'The disk or the memory of this machine may be broken; the store is as it was.',
    });
  }
  if (newMasterKey !== undefined) {
    onStep('beginning the log');
    const { epoch, sequence } = manifest;
    const { logKey: encryptionKey } = readStoreKeys({ storage: folder, masterKey: newMasterKey });
    const begun = await openSegmentLog({
      folder: join(folder, 'log'),
      clock,
      archive: KEEP_ALL,
      encryptionKey: must(encryptionKey, 'the key of an encrypted log'),
      beginning: { epoch, after: sequence },
    });
    await begun[Symbol.asyncDispose]();
    const signingKey = await readSigningKey({ storage, masterKey });
    if (signingKey !== undefined) await writeSigningKey(folder, keys, signingKey);
  }
  for (const name of ['graph', 'vault', '.']) syncFolder(join(folder, name));
  return manifest;
}

async function copyState(
  { storage, masterKey, onProgress }: RewriteOptions,
  folder: string,
  keys: StoreKeys,
): Promise<Manifest> {
  using reader = openSnapshotReader({ storage, masterKey, environments: ['graph', 'vault'] });
  const total = entriesOf({ storage, masterKey });
  const target = openEnvironments({ storage: folder, readOnly: false, ...keys });
  let done = 0;
  try {
    const manifest = await takeSnapshot(reader, {
      write: async (_digest, bytes) => {
        done += await putPiece(target, bytes);
        onProgress(done, total);
      },
    });
    const { epoch, sequence } = manifest;
    await writeTransaction(target.vault, () => putVaultApplied(target.vault, sequence));
    await writeTransaction(target.graph, () =>
      putGraphApplied(target.graph, { sequence, vaultSequence: sequence, epoch }),
    );
    return manifest;
  } finally {
    // Closing the environments flushes them.
    await closeEnvironments(target);
  }
}

/** Puts a piece, whose entries all belong to one database. Returns the number of entries. */
async function putPiece({ graph, vault }: Environments, bytes: Uint8Array): Promise<number> {
  let entries = 0;
  let first: DatabaseNumber | undefined;
  readBatch(bytes, (db) => {
    first ??= db;
    entries++;
  });
  const environment: Environment = graph.stores[first ?? 0] === undefined ? vault : graph;
  await writeTransaction(environment, () => {
    readBatch(bytes, (db, key, value) => {
      must(environment.stores[db], `database ${db}`).put(key, must(value, 'a value'));
    });
  });
  return entries;
}

/** Throws `storage_failed` when the folder holds no store: it is probably the wrong folder. */
export function requireStore(storage: string): void {
  // After an interrupted rewrite, the store may still be in the folder of the rewrite.
  if ([STORE_FILE, REWRITING_FOLDER].some((name) => existsSync(join(storage, name)))) return;
  throw new Problem('storage_failed', `there is no store in ${storage}`, {
    hint: 'Set MSK_GRAPH_STORAGE to the storage folder of a server that has been started before.',
  });
}
