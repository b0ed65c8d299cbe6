import { rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder, unlessMissing } from './durable-file.ts';

const REMOVED = '.removed';

/**
 * Removes a log that nobody has open, durably: after a crash it is there as a whole, or not at all.
 */
export async function removeLog(folder: string): Promise<void> {
  await rm(folder + REMOVED, { recursive: true, force: true });
  await unlessMissing(rename(folder, folder + REMOVED));
  await syncFolder(dirname(folder));
  await rm(folder + REMOVED, { recursive: true, force: true });
}
