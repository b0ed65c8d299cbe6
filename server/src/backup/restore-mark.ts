import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '#base/problem.ts';
import { createFileDurably, syncFolder, unlessMissing } from '#log/durable-file.ts';

/** In the storage folder, from the first step of a restore to its last. */
const MARK_FILE = 'restore.json';

/** Whether a restore into the folder has begun and not ended. */
export async function isRestoreUnfinished(storage: string): Promise<boolean> {
  return (await readMark(storage)) !== undefined;
}

/**
 * Says what is restored. Throws `restore_unfinished` when a restore of something else has not
 * ended.
 */
export async function markRestore(storage: string, text: string): Promise<void> {
  const there = await readMark(storage);
  if (there === text) return;
  if (there !== undefined) {
    throw new Problem(
      'restore_unfinished',
      `${storage} has an unfinished restore of another point: ${there}`,
    );
  }
  await createFileDurably(storage, MARK_FILE, Buffer.from(`${text}\n`));
}

/** Removes the mark: the restore is complete. */
export async function unmarkRestore(storage: string): Promise<void> {
  await rm(join(storage, MARK_FILE));
  await syncFolder(storage);
}

async function readMark(storage: string): Promise<string | undefined> {
  return (await unlessMissing(readFile(join(storage, MARK_FILE), 'utf8')))?.trim();
}
