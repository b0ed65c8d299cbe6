import { listHeaders, readContents, type BackupHeader } from './backup-header.ts';
import type { BackupPool } from './backup-pool.ts';
import { PIECES_FOLDER } from './backup-pool.ts';
import type { BackupTarget } from './backup-target.ts';
import { listArchive } from './log-archive.ts';

/**
 * Removes the pieces that no backup consists of any more, and the archived commits from which nothing can be restored: those at or
 * before the oldest pieces of their history. Only whoever has claimed the target may, for a run that goes on elsewhere has pieces
 * that no backup names yet. When the contents of one backup cannot be read, nothing is removed. Answers how many files went.
 */
export async function sweep(target: BackupTarget, pool: BackupPool): Promise<number> {
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
