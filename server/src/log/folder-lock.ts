import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Problem } from '#base/problem.ts';

const LOCK_FILE = 'lock';
const SQLITE_BUSY = 5;

/**
 * Takes a folder for this log alone, until it is disposed or the process ends.
 *
 * The lock is the kernel's, on the file `lock`, taken through the SQLite that is part of Node: an
 * exclusive transaction on an empty database, in which nothing is ever written. A file with a
 * process id would do without SQLite, but it can be stale, taken over by two at once, and means
 * nothing to a container with process ids of its own; this one cannot.
 * NOTE: the kernel drops the lock when this process opens and closes the file `lock` by itself:
 * leave it alone.
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
