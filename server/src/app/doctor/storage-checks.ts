import { constants, existsSync } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HEALTH_DISK_FREE_BYTES_MIN } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { REPLICA_REGISTRATION_AGE_MAX_MS } from '#base/replication-limits.ts';
import { lockFolder } from '#log/folder-lock.ts';
import { diskOf } from '#observe/health.ts';
import { olderStore, readStoreKeys, STORE_FILE } from '#store/master-key.ts';
import { remedyOfFormat } from '../read-settings.ts';

/** What a check of `trellis doctor` has found. */
export interface Finding {
  readonly check: string;
  /**
   * `warning`: it works, but somebody should look at it. `wrong`: it does not work, or will not for
   * long.
   */
  readonly status: 'ok' | 'warning' | 'wrong';
  /** One sentence, without any secret. */
  readonly message: string;
  /** What to do; null when nothing is to be done. */
  readonly remedy: string | null;
}

/** Makes the findings of a check, by its name. */
export function findingsOf(check: string) {
  const finding =
    (status: Finding['status']) =>
    (message: string, remedy: string): Finding => ({ check, status, message, remedy });
  return {
    ok: (message: string): Finding => ({ check, status: 'ok', message, remedy: null }),
    warning: finding('warning'),
    wrong: finding('wrong'),
    /** Tells of an operation that has failed. */
    failed: (error: unknown, remedy: string): Finding =>
      finding('wrong')(
        error instanceof Error ? error.message : String(error),
        (error instanceof Problem ? error.hint : undefined) ?? remedy,
      ),
  };
}

const { R_OK, W_OK, X_OK } = constants;

/**
 * Names of file systems that other machines have too, by the numbers that Linux gives them: LMDB's
 * locks do not hold there.
 */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
]);

/** Whether the folder is there; without it nothing in it can be looked at. */
export async function checkFolder(
  check: string,
  folder: string,
  variable: string,
): Promise<Finding> {
  const { ok, wrong } = findingsOf(check);
  const remedy = `Set ${variable} to a folder that this user may read and write.`;
  const there = await stat(folder).catch(() => undefined);
  if (there === undefined) {
    const above = await existingAbove(folder);
    return (await isWritable(above))
      ? ok(`${folder} is not there yet; the server makes it.`)
      : wrong(`${folder} cannot be made: ${above} is not writable.`, remedy);
  }
  if (!there.isDirectory()) return wrong(`${folder} is no folder.`, remedy);
  if (!(await isWritable(folder))) return wrong(`${folder} is not writable.`, remedy);
  return ok(`${folder} is writable.`);
}

/** Who else may read what is stored. */
export async function checkRights(storage: string): Promise<Finding> {
  const { ok, warning } = findingsOf('rights');
  const open: string[] = [];
  for (const name of ['', STORE_FILE, 'jwt.key', 'log', 'graph', 'vault']) {
    const path = join(storage, name);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) continue;
    // Inside a folder that others may not enter, nothing is open to them.
    if ((found.mode & 0o007) === 0 && name === '') return ok('Only this user and its group enter.');
    if ((found.mode & 0o004) !== 0) open.push(path);
  }
  if (open.length === 0) return ok('Nothing in the storage folder is readable by everybody.');
  return warning(
    `Every user of this machine may read ${open.join(', ')}.`,
    `Run "chmod -R o-rwx ${storage}".`,
  );
}

export async function checkDisk(storage: string): Promise<Finding> {
  const { ok, warning, wrong } = findingsOf('disk');
  const folder = await existingAbove(storage);
  const disk = await diskOf(folder);
  if (disk === null) return wrong(`${folder} cannot be read.`, 'Mount the disk again.');
  const free = `${Math.floor(disk.freeBytes / 2 ** 20)} MiB are free of ${Math.floor(disk.totalBytes / 2 ** 20)} MiB.`;
  if (disk.freeBytes < HEALTH_DISK_FREE_BYTES_MIN) {
    return wrong(free, 'Make room, or move the storage folder to a larger disk.');
  }
  const network = NETWORK_FILE_SYSTEMS.get((await statfs(folder)).type);
  if (network === undefined) return ok(free);
  return warning(
    `The storage folder is on a network file system (${network}).`,
    'Move it to a local disk: locks and syncs do not hold on this one.',
  );
}

/** Whether a server has the folder open. */
export function isInUse(storage: string): boolean {
  const folder = join(storage, 'log');
  // Looking at a lock that is not there would make it.
  if (!existsSync(join(folder, 'lock'))) return false;
  try {
    lockFolder(folder)[Symbol.dispose]();
    return false;
  } catch (error) {
    return error instanceof Problem && error.code === 'storage_in_use';
  }
}

export function checkMasterKey(storage: string, masterKey: string | undefined): Finding {
  const { ok, failed } = findingsOf('master key');
  try {
    const { logKey } = readStoreKeys({ storage, masterKey });
    return ok(logKey === undefined ? 'The store is not encrypted.' : 'It opens the store.');
  } catch (error) {
    return failed(error, 'Set MSK_GRAPH_MASTER_KEY to the key of the store.');
  }
}

export function checkFormat(storage: string): Finding {
  const { ok, warning } = findingsOf('format');
  const older = remedyOfFormat(olderStore(storage));
  if (older !== undefined) return warning(older.finding, older.remedy);
  return ok('The store has the newest format.');
}

/** A clock that was set back makes tokens good again, and has new entries before old ones. */
export async function checkClock(storage: string, now: number): Promise<Finding> {
  const { ok, wrong } = findingsOf('clock');
  const folders = [storage, join(storage, 'log'), join(storage, 'graph')];
  const times = await Promise.all(folders.map((folder) => newestIn(folder)));
  const newest = Math.max(...times);
  if (newest <= now + REPLICA_REGISTRATION_AGE_MAX_MS) {
    return ok(`It is ${new Date(now).toISOString()}.`);
  }
  return wrong(
    `It is ${new Date(now).toISOString()}, but the store was written at ${new Date(newest).toISOString()}.`,
    'Set the clock of this machine, and let NTP keep it.',
  );
}

/** Milliseconds; 0 for a folder that is not there. */
async function newestIn(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map((name) => stat(join(folder, name)).catch(() => undefined)),
  );
  return Math.max(0, ...found.map((one) => one?.mtimeMs ?? 0));
}

async function existingAbove(folder: string): Promise<string> {
  for (let at = folder; ; at = dirname(at)) {
    if ((await stat(at).catch(() => undefined)) !== undefined || at === dirname(at)) return at;
  }
}

async function isWritable(folder: string): Promise<boolean> {
  return access(folder, R_OK | W_OK | X_OK).then(
    () => true,
    () => false,
  );
}
