import { closeSync, fsyncSync, openSync } from 'node:fs';

/** Makes the names in a folder durable. Without this, a power failure may undo a rename. */
export function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
