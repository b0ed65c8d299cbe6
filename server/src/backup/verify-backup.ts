import { mkdir, rm } from 'node:fs/promises';
import type { Clock } from '#base/clock.ts';
import { Problem } from '#base/problem.ts';
import { DATABASES } from '#store/databases.ts';
import { isSameState, type Manifest } from '#store/manifest.ts';
import { restoreSnapshot } from '#store/restore.ts';
import { digestState } from '#store/snapshot.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import { backupCorrupt } from './backup-problem.ts';
import {
  readContents,
  readHeader,
  type BackupContents,
  type BackupHeader,
} from './backup-header.ts';
import { BackupPool } from './backup-pool.ts';
import type { BackupTarget } from './backup-target.ts';
import { listArchive, readArchived } from './log-archive.ts';
import { readPoolSecret } from './pool-description.ts';
import type { WorkProgress } from './work-progress.ts';

export interface VerifyBackupOptions extends WorkProgress {
  readonly target: BackupTarget;
  readonly id: string;
  readonly masterKey: string | undefined;
  readonly clock: Clock;
  /** A folder for the restored state, that is emptied before and removed behind. */
  readonly scratch: string;
}

/**
 * Restores a backup beside the workspace and compares what came out of it, entry by entry, with what went in; reads its files, and
 * the commits that are archived between it and the backup before. What is found damaged goes, so that the next run writes it anew.
 * Throws `backup_corrupt`, `backup_not_found`, the problems of the target, and `job_cancelled` by the signal.
 */
export async function verifyBackup(options: VerifyBackupOptions): Promise<void> {
  const { target, id, masterKey, scratch, log } = options;
  const header = await readHeader(target, id);
  const pool = new BackupPool(target, (await readPoolSecret(target, masterKey))?.secret);
  const { snapshot, files } = await readContents(pool, header);
  await rm(scratch, { recursive: true, force: true });
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  try {
    await compareState(options, pool, snapshot);
    for (const { digest } of files) await pool.read(digest);
  } catch (error) {
    if (isDamage(error)) await removeDamaged(options, pool, { snapshot, files });
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  const commits = await readLog(target, pool, header);
  log(
    `${header.nodes} nodes and ${header.edges} edges are as they were at sequence ${header.sequence}.`,
  );
  log(`${files.length} files and ${commits} archived commits can be read.`);
}

async function compareState(
  { masterKey, scratch: storage, clock, signal, report }: VerifyBackupOptions,
  pool: BackupPool,
  snapshot: Manifest,
): Promise<void> {
  const pieces = snapshot.databases.reduce((sum, database) => sum + database.pieces.length, 0);
  let read = 0;
  const source = {
    read: (digest: string) => {
      signal.throwIfAborted();
      report((0.7 * read++) / Math.max(1, pieces), `Restoring: ${read} of ${pieces} pieces`);
      return pool.read(digest);
    },
  };
  await restoreSnapshot(snapshot, source, { storage, masterKey, clock });
  report(0.7, 'Comparing');
  const environments = ['graph', 'vault'] as const;
  using reader = openSnapshotReader({ storage, masterKey, environments });
  const restored = await digestState(reader);
  signal.throwIfAborted();
  if (!isSameState(restored, snapshot)) throw differs(snapshot, restored);
}

/** A damaged piece would be taken for a good one by every run to come. Throws when there is one. */
async function removeDamaged(
  { signal, report }: VerifyBackupOptions,
  pool: BackupPool,
  { snapshot, files }: BackupContents,
): Promise<void> {
  const pieces = [...snapshot.databases.flatMap((database) => database.pieces), ...files];
  let damaged = 0;
  for (const { digest } of pieces) {
    signal.throwIfAborted();
    report(0.9, 'Looking for what is damaged');
    try {
      await pool.read(digest);
    } catch (error) {
      if (!isDamage(error)) throw error;
      await pool.remove(digest);
      damaged++;
    }
  }
  if (damaged === 0) return;
  throw backupCorrupt(`${damaged} of ${pieces.length} pieces are damaged or missing`);
}

function isDamage(error: unknown): boolean {
  return error instanceof Problem && error.code === 'backup_corrupt';
}

async function readLog(
  target: BackupTarget,
  pool: BackupPool,
  { epoch, sequence }: BackupHeader,
): Promise<number> {
  const files = (await listArchive(target, epoch)).filter(({ last }) => last <= sequence);
  let commits = 0;
  for (const file of files) commits += (await readArchived(pool, file)).length;
  return commits;
}

function differs(expected: Manifest, restored: Manifest): Problem {
  const names = DATABASES.filter(({ number }) => {
    const [one, other] = [expected, restored].map(({ databases }) =>
      JSON.stringify(databases.find((database) => database.number === number)?.pieces ?? []),
    );
    return one !== other;
  }).map(({ name }) => name);
  return backupCorrupt(`the restored state differs in ${names.join(', ') || 'its history'}`);
}
