import type { WorkProgress } from './work-progress.ts';
import type { Clock } from '#base/clock.ts';
import { BackupPool, PIECES_FOLDER } from './backup-pool.ts';
import {
  type BackupHeader,
  headerPath,
  listHeaders,
  readContents,
  readHeader,
} from './backup-header.ts';
import type { BackupTarget } from './backup-target.ts';
import { openPoolSecret } from './pool-description.ts';
import { expired, type RetentionRule } from './retention.ts';
import { type BackupSource, takeBackup } from './take-backup.ts';
import { type DerivedCheck, verifyBackup } from './verify-backup.ts';
import { listArchive } from './log-archive.ts';

/** What a thread that works for backups is given. */
export interface BackupWorkParts {
  readonly target: BackupTarget;
  readonly masterKey: string | undefined;
  readonly clock: Clock;
  readonly version: string;
  readonly retention: RetentionRule;
  readonly checkDerived: DerivedCheck;
  /** For what is restored to be compared. */
  readonly scratch: string;
  /** 8 hexadecimal digits, others at each call. */
  readonly suffix: () => string;
  readonly openSource: () => Promise<BackupSource & Disposable>;
}

/**
 * Makes a backup, then removes those that the rule does not keep. What fails after the backup is
 * told, and leaves it good.
 */
export async function runBackup(
  parts: BackupWorkParts,
  progress: WorkProgress,
): Promise<BackupHeader> {
  const { target, masterKey, retention } = parts;
  await using _claim = await target.claim(progress.log);
  using source = await parts.openSource();
  const header = await takeBackup({ ...parts, ...progress, source, suffix: parts.suffix() });
  progress.report(0.99, 'Removing what need not be kept');
  try {
    const gone = expired(await listHeaders(target), retention);
    for (const { id } of gone) await target.remove(headerPath(id));
    if (gone.length > 0) {
      await target.sync();
      await sweep(target, new BackupPool(target, await openPoolSecret(target, masterKey)));
      progress.log(`${gone.length} older backups were removed.`);
    }
  } catch (error) {
    progress.log(`Older backups could not be removed: ${String(error)}`);
  }
  return header;
}

/** Throws as `verifyBackup`, and `backup_target_in_use`: what is damaged is removed. */
export async function runVerification(
  parts: BackupWorkParts,
  id: string,
  progress: WorkProgress,
): Promise<void> {
  await using _claim = await parts.target.claim(progress.log);
  await verifyBackup({ ...parts, ...progress, id });
}

/**
 * The backup goes first, then what only it needed: a kill in between leaves pieces that the next
 * removal takes.
 */
export async function removeBackup(
  { target, masterKey }: BackupWorkParts,
  id: string,
): Promise<void> {
  await using _claim = await target.claim(() => undefined);
  const pool = new BackupPool(target, await openPoolSecret(target, masterKey));
  await readHeader(target, id);
  await target.remove(headerPath(id));
  await target.sync();
  await sweep(target, pool);
}

/**
 * Removes the pieces that no backup consists of any more, and the archived commits from which
 * nothing can be restored: those at or before the oldest pieces of their history. Only whoever has
 * claimed the target may, for a run that goes on elsewhere has pieces that no backup names yet.
 * When the contents of one backup cannot be read, nothing is removed. Answers how many files went.
 */
async function sweep(target: BackupTarget, pool: BackupPool): Promise<number> {
  const headers = await listHeaders(target);
  const needed = new Set<string>();
  for (const header of headers) {
    needed.add(pool.pathOf(header.contents));
    const { snapshot, files } = await readContents(pool, header);
    for (const { pieces } of snapshot.databases) {
      for (const { digest } of pieces) needed.add(pool.pathOf(digest));
    }
    for (const { digest } of files) needed.add(pool.pathOf(digest));
  }
  let removed = 0;
  for (const { path } of await target.list(PIECES_FOLDER)) {
    if (needed.has(path)) continue;
    await target.remove(path);
    removed++;
  }
  const oldest = oldestOfEach(headers);
  for (const { path, epoch, last } of await listArchive(target)) {
    if (last > (oldest.get(epoch) ?? Infinity)) continue;
    await target.remove(path);
    removed++;
  }
  return removed;
}

/** The lowest sequence that the pieces of a backup have, by epoch. */
function oldestOfEach(headers: readonly BackupHeader[]): ReadonlyMap<string, number> {
  const oldest = new Map<string, number>();
  for (const { epoch, snapshotSequence } of headers) {
    oldest.set(epoch, Math.min(snapshotSequence, oldest.get(epoch) ?? Infinity));
  }
  return oldest;
}
