import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { restoreBackup, type Restored, type RestoredLog } from '#backup/restore-backup.ts';
import { isRestoreUnfinished } from '#backup/restore-mark.ts';
import { parseRestoreWish, type RestoreWish } from '#backup/restore-point.ts';
import type { WorkProgress } from '#backup/work-progress.ts';
import { systemClock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { Environment } from '#config/config-error.ts';
import { readConfig } from '#config/read-config.ts';
import { lockFolder } from '#log/folder-lock.ts';
import { type LogBeginning, removeLog } from '#log/segment-log.ts';
import { openTarget, targetSettings } from './backup/open-target.ts';
import { type CommandOutcome, outcomeOf } from './command-outcome.ts';
import { createStorageFolder } from './read-settings.ts';
import { ReplicaStore } from './replication/replica-store.ts';
import { openStoreLog } from './writer/store-log.ts';

export interface RestoreRequest {
  /** A folder of backups, or a place in a bucket, as MSK_GRAPH_BACKUP_FOLDER names it. */
  readonly from: string;
  /** The storage folder; MSK_GRAPH_STORAGE when not given. */
  readonly to: string | undefined;
  /** A backup, a sequence or a time; the newest backup when not given. */
  readonly at: string | undefined;
}

export type RestoredWorkspace = Restored & { readonly storage: string };

/** Names that may lie in a storage folder that nobody has used. */
const UNUSED_NAMES = new Set(['lock', 'lock-journal', 'log', 'restore.json.new', 'lost+found']);

/**
 * `trellis restore`: makes a workspace of a backup while no server is there. The variables are
 * those of the server: with MSK_LOG it makes the folder of a member.
 */
export function restore(
  env: Environment,
  request: RestoreRequest,
  progress: WorkProgress,
): Promise<CommandOutcome<RestoredWorkspace>> {
  return outcomeOf(() => run(env, request, progress));
}

async function run(
  env: Environment,
  { from, to, at }: RestoreRequest,
  progress: WorkProgress,
): Promise<RestoredWorkspace> {
  const wish = parseRestoreWish(at);
  const asGiven = { ...env, MSK_GRAPH_BACKUP_FOLDER: from };
  const { config, secrets } = readConfig(asGiven, { opensOlder: true });
  const storage = resolve(to ?? config.storageFolder);
  createStorageFolder(storage);
  using _claim = await claimUnused(storage);
  const keepsHistory = config.member !== null;
  const restored = await restoreInto({ config, secrets, storage, wish, keepsHistory }, progress);
  return { ...restored, storage };
}

interface Restoring extends Pick<ReturnType<typeof readConfig>, 'config' | 'secrets'> {
  /** Claimed, and empty but for what an unfinished restore has left. */
  readonly storage: string;
  readonly wish: RestoreWish;
  /** For a member, which takes what came later from the common log. */
  readonly keepsHistory: boolean;
  /** As of `RestoreBackupOptions`. */
  readonly epoch?: string;
  readonly reaches?: number;
}

/** From the target of backups that is configured. */
export function restoreInto(restoring: Restoring, progress: WorkProgress): Promise<Restored> {
  const { config, secrets, storage, wish, keepsHistory, epoch, reaches } = restoring;
  return restoreBackup({
    ...progress,
    target: openTarget(targetSettings(config, secrets, process.cwd())),
    wish,
    storage,
    masterKey: secrets.graphMasterKey ?? undefined,
    clock: systemClock,
    logPlace: logPlace(storage, secrets.graphMasterKey),
    epoch,
    reaches,
    keepHistory: keepsHistory ? () => ReplicaStore.mark(storage) : undefined,
  });
}

/**
 * Locks the storage folder for this process. Throws `storage_in_use`, and `storage_not_empty`
 * unless a restore has left what is there.
 */
export async function claimUnused(storage: string): Promise<Disposable> {
  const logFolder = join(storage, 'log');
  // The lock of a replica, or of another restore.
  const lock = lockFolder(storage);
  try {
    // The lock of a primary.
    if (existsSync(logFolder)) lockFolder(logFolder)[Symbol.dispose]();
    if (!(await isRestoreUnfinished(storage)) && !(await isUnused(storage))) {
      throw new Problem('storage_not_empty', `there is something in ${storage} already`, {
        hint: 'Restore into an empty folder (--to), then start with it.',
      });
    }
    await mkdir(logFolder, { recursive: true, mode: 0o700 });
    return lock;
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

async function isUnused(storage: string): Promise<boolean> {
  const names = await readdir(storage);
  if (names.some((name) => !UNUSED_NAMES.has(name))) return false;
  const inLog = names.includes('log') ? await readdir(join(storage, 'log')) : [];
  return inLog.every((name) => UNUSED_NAMES.has(name));
}

function logPlace(storage: string, masterKey: string | null): RestoredLog {
  const begin = (beginning: LogBeginning) =>
    openStoreLog({ storage, masterKey, lowMemory: false, beginning });
  return {
    open: (after) => begin({ after }),
    beginAs: (epoch, after) => begin({ epoch, after }),
    remove: () => removeLog(join(storage, 'log')),
  };
}
