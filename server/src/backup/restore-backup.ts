import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BACKUP_TRANSFERS_MAX } from '#base/backup-limits.ts';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import type { CommitLog } from '#log/commit-log.ts';
import { syncFolder } from '#log/durable-file.ts';
import { type LogPlace, promoteStore } from '#store/history.ts';
import { readStoreKeys } from '#store/master-key.ts';
import { restoreSnapshot } from '#store/restore.ts';
import { openState } from '#store/state-writer.ts';
import { readSigningKey, SIGNING_KEY_FILE, writeSigningKey } from '#store/signing-key.ts';
import { type BackupContents, readContents } from './backup-header.ts';
import { BackupPool } from './backup-pool.ts';
import { backupCorrupt } from './backup-problem.ts';
import type { BackupTarget } from './backup-target.ts';
import { readArchived } from './log-archive.ts';
import { readPoolSecret } from './pool-description.ts';
import { markRestore, unmarkRestore } from './restore-mark.ts';
import { planRestore, type RestorePlan, type RestoreWish } from './restore-point.ts';
import type { WorkProgress } from './work-progress.ts';

/** A log that begins after a sequence, in a history that is there already. */
export interface RestoredLog extends LogPlace {
  beginAs(epoch: string, after: number): Promise<CommitLog>;
}

export interface RestoreBackupOptions extends WorkProgress {
  readonly target: BackupTarget;
  readonly wish: RestoreWish;
  /** Claimed by the caller, and with nothing in it but what an unfinished restore has left. */
  readonly storage: string;
  readonly masterKey: string | undefined;
  readonly clock: Clock;
  readonly logPlace: RestoredLog;
  /** The history that the backup has to be of, where there is one. */
  readonly epoch?: string | undefined;
  /** The sequence that it has to reach: with less, what the folder has is worth more. */
  readonly reaches?: number | undefined;
  /**
   * For a member of a workspace whose log is elsewhere, which goes on in the history of the backup:
   * what marks the folder as one, instead of a new history.
   */
  readonly keepHistory?: (() => Promise<void>) | undefined;
}

export interface Restored {
  readonly id: string;
  /** The sequence in the backup's history, where the workspace goes on, usually in a new one. */
  readonly sequence: number;
  readonly createdAt: string;
}

/**
 * The names that a restore puts into the storage folder, and removes before it begins again; first
 * the file that makes the folder a store.
 */
const RESTORED_NAMES = ['store.json', 'graph', 'vault', 'restoring', 'front-end', SIGNING_KEY_FILE];
const COMMITS_AT_ONCE = 256;

/**
 * Makes the workspace of a backup, or of a point after it, in a folder. It goes on in a new
 * history, so that replicas of the old one copy it, unless it is for a member. What a kill leaves,
 * the next restore of the same backup clears away and does again. Throws `restore_unfinished` when
 * what lies there is of another one, and the problems of `planRestore`, `readPoolSecret` and of the
 * target.
 */
export async function restoreBackup(options: RestoreBackupOptions): Promise<Restored> {
  const { target, storage, wish, report } = options;
  const found = await readPoolSecret(target, options.masterKey);
  if (found === undefined) {
    throw new Problem('backup_not_found', `There is no backup in ${target.name}.`);
  }
  const pool = new BackupPool(target, found.secret);
  const plan = await planRestore(target, wish);
  refuseUnfit(options, plan);
  await markRestore(storage, markOf(plan));
  await clear(options);
  const contents = await readContents(pool, plan.header);
  await restoreState(options, pool, contents);
  const sequence = await replay(options, pool, plan);
  await restoreFiles(storage, pool, contents);
  const key = await readSigningKey(options);
  if (key !== undefined) await writeSigningKey(storage, readStoreKeys(options), key);
  if (options.keepHistory === undefined) {
    report(0.99, 'Beginning a new history');
    await promoteStore({ ...options, log: options.logPlace });
  } else {
    await applyLog(options, plan);
    await options.keepHistory();
  }
  await unmarkRestore(storage);
  return { id: plan.header.id, sequence, createdAt: plan.header.createdAt };
}

function refuseUnfit(
  { target, epoch, reaches = 0 }: RestoreBackupOptions,
  plan: RestorePlan,
): void {
  const { id, epoch: ofBackup, sequence } = plan.header;
  if (epoch !== undefined && ofBackup !== epoch) {
    throw new Problem(
      'backup_target_mismatch',
      `the backup ${id} in ${target.name} is of another history than the workspace`,
    );
  }
  if (sequence >= reaches) return;
  throw new Problem(
    'backup_point_unreachable',
    `the backup ${id} in ${target.name} ends at sequence ${sequence}, before ${reaches}`,
  );
}

/** The state has what the log has, as a promotion sees to. */
async function applyLog(options: RestoreBackupOptions, { header }: RestorePlan): Promise<void> {
  const { storage, masterKey, clock, logPlace } = options;
  await using log = await logPlace.beginAs(header.epoch, header.snapshotSequence);
  const state = await openState({ storage, masterKey, clock, log });
  await state[Symbol.asyncDispose]();
}

async function restoreState(
  { storage, masterKey, clock, signal, report }: RestoreBackupOptions,
  pool: BackupPool,
  { snapshot }: BackupContents,
): Promise<void> {
  const pieces = snapshot.databases.flatMap((database) => database.pieces);
  const total = Math.max(
    1,
    pieces.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  const sizes = new Map(pieces.map(({ digest, bytes }) => [digest, bytes]));
  let done = 0;
  // While one is put into the store, the next are read and verified.
  const order = pieces.map(({ digest }) => digest);
  const ahead = new Map<string, Promise<Uint8Array>>();
  const begin = (digest: string | undefined): void => {
    if (digest === undefined || ahead.has(digest)) return;
    const reading = pool.read(digest);
    reading.catch(() => undefined);
    ahead.set(digest, reading);
  };
  let at = 0;
  const source = {
    isVerified: true,
    read: async (digest: string) => {
      signal.throwIfAborted();
      begin(digest);
      const reading = ahead.get(digest);
      ahead.delete(digest);
      at++;
      for (const next of order.slice(at, at + BACKUP_TRANSFERS_MAX)) begin(next);
      const bytes = reading === undefined ? await pool.read(digest) : await reading;
      done += sizes.get(digest) ?? 0;
      report((0.9 * done) / total, `Restoring the state: ${Math.round((100 * done) / total)} %`);
      return bytes;
    },
  };
  await restoreSnapshot(snapshot, source, { storage, masterKey, clock });
}

/**
 * Adds the commits after the backup up to the point to a log of its history, from which the state
 * then takes them.
 */
async function replay(
  { logPlace, signal, report }: RestoreBackupOptions,
  pool: BackupPool,
  { header, chain, lastSequence, lastTime }: RestorePlan,
): Promise<number> {
  if (chain.length === 0) return header.sequence;
  await using log = await logPlace.beginAs(header.epoch, header.snapshotSequence);
  for (const [i, file] of chain.entries()) {
    report(0.9 + (0.08 * i) / chain.length, `Restoring commits: ${i} of ${chain.length} files`);
    let appending: Promise<number>[] = [];
    let next = log.lastSequence + 1;
    for (const record of await readArchived(pool, file)) {
      signal.throwIfAborted();
      if (record.last < next) continue;
      if (record.first !== next) throw backupCorrupt(`${file.path} does not go on at ${next}`);
      // Commits up to the backup belong to it, even when a clock that was set back says otherwise.
      const isTooNew = record.time > lastTime && record.last > header.sequence;
      if (record.last > lastSequence || isTooNew) {
        await Promise.all(appending);
        return log.lastSequence;
      }
      appending.push(log.append(record.last - record.first + 1, record.payload, record.time));
      next = record.last + 1;
      if (appending.length < COMMITS_AT_ONCE) continue;
      await Promise.all(appending);
      appending = [];
    }
    await Promise.all(appending);
  }
  return log.lastSequence;
}

async function restoreFiles(
  storage: string,
  pool: BackupPool,
  { files }: BackupContents,
): Promise<void> {
  const folders = new Set([storage]);
  for (const { path, digest } of files) {
    if (path.split('/').some((part) => part === '..' || part === '')) {
      throw backupCorrupt(`the backup has a file ${JSON.stringify(path)}`);
    }
    const file = join(storage, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await using handle = await open(file, 'w', 0o600);
    await handle.writeFile(await pool.read(digest));
    await handle.sync();
    folders.add(dirname(file));
  }
  for (const folder of folders) await syncFolder(folder);
}

async function clear({ storage, logPlace }: RestoreBackupOptions): Promise<void> {
  for (const name of RESTORED_NAMES) {
    await rm(join(storage, name), { recursive: true, force: true });
  }
  await logPlace.remove();
}

/** The text that says what is restored, so that another restore cannot take its place unnoticed. */
function markOf({ header, lastSequence, lastTime }: RestorePlan): string {
  const time = Number.isFinite(lastTime) ? lastTime : null;
  return JSON.stringify({ id: header.id, lastSequence, lastTime: time });
}
