import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '#base/clock.ts';
import { KEY_BYTES_MIN } from '#base/sign-in-limits.ts';
import { Problem } from '#base/problem.ts';
import type { Environment } from '#config/config-error.ts';
import { lockFolder } from '#log/folder-lock.ts';
import type { HeldReader } from '#store/held-reader.ts';
import type { Manifest } from '#store/manifest.ts';
import { olderStore, STORE_FILE } from '#store/master-key.ts';
import { readSizes, type StoreSizes } from '#store/care/entry-counts.ts';
import { isOpenedBy, requireStore, rewriteStore } from '#store/care/rewrite-store.ts';
import { settleRewrite } from '#store/care/settle-rewrite.ts';
import { type Looked, verifyStore, type Verification } from '#store/care/verify-store.ts';
import { type CheckedDerived, checkDerived } from './derived-check.ts';
import { remedyOfFormat, storageFolderOf } from './read-settings.ts';

/** Called while a command of `trellis storage` works. */
export interface CareEvents {
  readonly onProgress: (done: number, total: number) => void;
  readonly onStep: (step: string) => void;
}

export interface StorageStatistics extends StoreSizes {
  readonly storage: string;
  readonly format: number;
  readonly encrypted: boolean;
  /** Why the store should be rewritten, and how; null of the newest format. */
  readonly advice: string | null;
  readonly createdAt: string;
  /** The size of each file or folder directly in the storage folder. */
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}

interface CareAccess {
  readonly storage: string;
  readonly masterKey: string | undefined;
}

/** Sizes of a store. As for all functions here, no server may have the store open. */
export function storageStatistics(env: Environment): StorageStatistics {
  const access = accessOf(env);
  const { storage } = access;
  using _claim = claim(storage);
  const { format, encrypted, createdAt } = JSON.parse(
    readFileSync(join(storage, STORE_FILE), 'utf8'),
  ) as Pick<StorageStatistics, 'format' | 'encrypted' | 'createdAt'>;
  const older = remedyOfFormat(olderStore(storage));
  const advice = older === undefined ? null : `${older.finding} ${older.remedy}`;
  const sizes = readSizes(access);
  const files = readdirSync(storage).map((name) => ({ name, bytes: bytesOf(join(storage, name)) }));
  return { storage, format, encrypted, advice, createdAt, ...sizes, files };
}

export interface StorageVerification extends Verification {
  /** How indexes, counts and the like agree with the nodes; null when the state is damaged. */
  readonly derived: CheckedDerived | null;
}

export async function verifyStorage(
  env: Environment,
  events: CareEvents,
): Promise<StorageVerification> {
  let derived: CheckedDerived | null = null;
  const onState = async (state: HeldReader): Promise<Looked> => {
    events.onStep('comparing indexes and counts with the nodes');
    const checked = await checkDerived(state, events);
    derived = checked;
    return { areRowsWrong: checked.rows.differenceCount > 0 };
  };
  const access = accessOf(env);
  const found = await verifyStore({ ...access, ...events, clock: systemClock, onState });
  return { ...found, derived };
}

export interface Compaction {
  readonly before: StoreSizes;
  readonly after: StoreSizes;
  readonly digest: string;
}

export async function compactStorage(env: Environment, events: CareEvents): Promise<Compaction> {
  const access = accessOf(env);
  const { databases, environments } = storageStatistics(env);
  const { digest } = await rewriteStore({ ...access, ...events, clock: systemClock });
  return { before: { databases, environments }, after: readSizes(access), digest };
}

export interface Rotation {
  /** Whether it had been done before. */
  readonly wasDone: boolean;
  readonly manifest: Pick<Manifest, 'epoch' | 'sequence' | 'digest'> | null;
}

/**
 * Encrypts a store under another key than `MSK_GRAPH_MASTER_KEY`, which may be empty. Throws
 * `wrong_master_key`, also for a new key that is too short.
 */
export async function rotateMasterKey(
  env: Environment,
  newMasterKey: string,
  events: CareEvents,
): Promise<Rotation> {
  const { storage, masterKey } = accessOf(env);
  if (newMasterKey === masterKey) {
    throw new Problem('wrong_master_key', 'the new master key is the one that there is', {
      hint: 'Give another one.',
    });
  }
  if (Buffer.byteLength(newMasterKey) < KEY_BYTES_MIN) {
    throw new Problem('wrong_master_key', 'the new master key is too short', {
      hint: `Give one of ${KEY_BYTES_MIN} bytes or more, such as: openssl rand -base64 32`,
    });
  }
  settleRewrite(storage);
  if (isOpenedBy(storage, newMasterKey)) return { wasDone: true, manifest: null };
  const keys = { masterKey, newMasterKey };
  const manifest = await rewriteStore({ storage, ...keys, ...events, clock: systemClock });
  return { wasDone: false, manifest };
}

function accessOf(env: Environment): CareAccess {
  const masterKey = env['MSK_GRAPH_MASTER_KEY'] ?? '';
  const storage = storageFolderOf(env);
  requireStore(storage);
  return { storage, masterKey: masterKey === '' ? undefined : masterKey };
}

/** Neither a server nor another command works on it. */
function claim(storage: string): Disposable {
  settleRewrite(storage);
  using claims = new DisposableStack();
  claims.use(lockFolder(storage));
  claims.use(lockFolder(join(storage, 'log')));
  return claims.move();
}

function bytesOf(path: string): number {
  const found = statSync(path);
  if (!found.isDirectory()) return found.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}
