import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { Problem } from '#base/problem.ts';

/** The absolute path of the storage folder (`MSK_GRAPH_STORAGE`), made when it is missing. */
export function createStorageFolder(folder: string): string {
  const storage = resolve(folder);
  try {
    mkdirSync(storage, { recursive: true });
  } catch (cause) {
    throw new Problem('storage_failed', `the storage folder ${storage} cannot be made`, {
      hint: 'Set MSK_GRAPH_STORAGE to a folder that this user may write.',
      cause,
    });
  }
  return storage;
}
