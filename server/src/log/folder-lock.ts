import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Problem } from '#base/problem.ts';

const LOCK_FILE = 'lock';
const SQLITE_BUSY = 5;

/**
 * Takes a folder for this log alone, until it is disposed or the process ends.
 *
 * The lock is a lock of the kernel on the file `lock`. It is taken through the SQLite that is part
 * of Node: an exclusive transaction on an empty database, to which nothing is ever written. A file
 * with a process id would need no SQLite. But such a file can be stale, two processes can take it
 * over at once, and process ids mean nothing across containers. A lock of the kernel has none of
 * these faults. NOTE: the kernel drops the lock when this process opens and closes the file `lock`
 * by itself: leave it alone.
 */
export function lockFolder(folder: string): Disposable {
  const database = new DatabaseSync(join(folder, LOCK_FILE), { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode = OFF');
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    const who = `\`fuser ${join(folder, LOCK_FILE)}\` names its process`;
    throw new Problem('storage_in_use', `the folder ${folder} is in use by another server`, {
      hint: `Stop the other one (${who}), or give this one a folder of its own.`,
      details: { folder },
    });
  }
  return { [Symbol.dispose]: () => database.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
