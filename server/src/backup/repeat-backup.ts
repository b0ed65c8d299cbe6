import { BACKUP_REPEATED_BYTES_MAX } from '#base/backup-limits.ts';
import { Problem } from '#base/problem.ts';
import { pieceDigest } from '#store/piece.ts';
import {
  backupId,
  listHeaders,
  readContents,
  writeHeader,
  type BackupContents,
  type BackupFile,
  type BackupHeader,
} from './backup-header.ts';
import { BackupPool, PoolWriter } from './backup-pool.ts';
import { readPoolSecret } from './pool-description.ts';
import type { SourceFile, TakeBackupOptions } from './take-backup.ts';

export interface RepeatBackupOptions extends Omit<TakeBackupOptions, 'source' | 'report' | 'log'> {
  /** Of the newest commit that the state has. */
  readonly sequence: number;
  readonly epoch: string;
  files(): Promise<readonly SourceFile[]>;
}

/**
 * Another backup of what has not changed since the newest one: of the state nothing is read, and only a header is written. That
 * what it names is in the pool is looked at by names and sizes, as any other run does for what it keeps.
 *
 * Undefined when something was committed or is missing, when a file is another one, or when the list of what the backup consists of
 * may be long: then a whole run is needed, which tells what is wrong, if anything is. The target is claimed by the caller.
 */
export async function repeatBackup(
  options: RepeatBackupOptions,
): Promise<BackupHeader | undefined> {
  const { target, clock, sequence, epoch } = options;
  const createdAt = clock.now();
  const newest = (await listHeaders(target)).find((header) => header.epoch === epoch);
  if (newest?.sequence !== sequence || newest.bytes > BACKUP_REPEATED_BYTES_MAX) return undefined;
  const pool = await poolOf(options);
  const contents = await tryReadContents(pool, newest);
  if (pool === undefined || contents === undefined) return undefined;
  const there = await PoolWriter.open(pool, target);
  const pieces = [
    ...contents.snapshot.databases.flatMap((database) => database.pieces),
    ...contents.files,
  ];
  if (!pieces.every(({ digest, bytes }) => there.has(digest, bytes))) return undefined;
  if (!(await areSame(await options.files(), contents.files))) return undefined;
  options.signal.throwIfAborted();
  const header: BackupHeader = {
    ...newest,
    id: backupId(createdAt, options.suffix),
    createdAt: new Date(createdAt).toISOString(),
    completedAt: new Date(clock.now()).toISOString(),
    version: options.version,
    newBytes: 0,
    hasLog: true,
  };
  await writeHeader(target, header);
  await target.sync();
  return header;
}

/** Undefined where there is none, or one of another kind than the workspace. */
async function poolOf({ target, masterKey }: RepeatBackupOptions): Promise<BackupPool | undefined> {
  const found = await readPoolSecret(target, masterKey);
  const isSameKind = (found?.secret === undefined) === (masterKey === undefined);
  return found !== undefined && isSameKind ? new BackupPool(target, found.secret) : undefined;
}

async function tryReadContents(
  pool: BackupPool | undefined,
  header: BackupHeader,
): Promise<BackupContents | undefined> {
  try {
    return pool === undefined ? undefined : await readContents(pool, header);
  } catch (error) {
    if (error instanceof Problem && error.code === 'backup_corrupt') return undefined;
    throw error;
  }
}

async function areSame(
  files: readonly SourceFile[],
  before: readonly BackupFile[],
): Promise<boolean> {
  if (files.length !== before.length) return false;
  const known = new Map(before.map(({ path, digest }) => [path, digest]));
  for (const { path, digest, read } of files) {
    const content = digest === undefined ? await read() : undefined;
    const found = content === undefined ? digest : pieceDigest(content);
    if (found === undefined || known.get(path) !== found) return false;
  }
  return true;
}
