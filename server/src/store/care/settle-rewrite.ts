import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from '#log/folder-lock.ts';
import { syncFolder } from '../sync-folder.ts';

/** The folder in which the new store of a rewrite is made; see `rewriteStore`. */
export const REWRITING_FOLDER = 'rewriting';
/** Written durably when the new store is whole. From then on the new store counts. */
export const COMPLETE_FILE = 'complete.json';

export interface CompleteRewrite {
  /**
   * Names of files and folders that replace those with the same name in the storage folder, in this
   * order.
   */
  readonly entries: readonly string[];
  /** What is removed: it was made from the former store, and the server makes it again. */
  readonly removed: readonly string[];
}

export type Settled = 'nothing' | 'discarded' | 'completed';

/**
 * Finishes an interrupted rewrite: a complete new store replaces the former one, an incomplete one
 * is removed. Needs no key. Call this before a store is opened. Throws `storage_in_use` while a
 * rewrite is running.
 */
export function settleRewrite(storage: string): Settled {
  if (!existsSync(join(storage, REWRITING_FOLDER))) return 'nothing';
  using _claim = lockFolder(storage);
  return settleClaimed(storage, () => {});
}

/** The same for a caller that has locked the folder. `onStep` is called before each step. */
export function settleClaimed(storage: string, onStep: (step: string) => void): Settled {
  const folder = join(storage, REWRITING_FOLDER);
  if (!existsSync(folder)) return 'nothing';
  const isComplete = existsSync(join(folder, COMPLETE_FILE));
  if (isComplete) putInPlace(storage, folder, onStep);
  onStep('clearing up');
  // It is removed first: without it, the rest counts as incomplete.
  rmSync(join(folder, COMPLETE_FILE), { force: true });
  syncFolder(folder);
  rmSync(folder, { recursive: true });
  syncFolder(storage);
  return isComplete ? 'completed' : 'discarded';
}

/** Replaces the former store. Each step may have been done already. */
function putInPlace(storage: string, folder: string, onStep: (step: string) => void): void {
  const text = readFileSync(join(folder, COMPLETE_FILE), 'utf8');
  // Only `rewriteStore` writes this file.
  const { entries, removed } = JSON.parse(text) as CompleteRewrite;
  for (const name of removed) {
    onStep(`removing ${name}`);
    rmSync(join(storage, name), { recursive: true, force: true });
  }
  for (const name of entries) {
    const made = join(folder, name);
    if (!existsSync(made)) continue;
    const place = join(storage, name);
    if (existsSync(place)) {
      onStep(`taking ${name} away`);
      const former = join(folder, `former-${name}`);
      rmSync(former, { recursive: true, force: true });
      renameSync(place, former);
      syncFolder(storage);
    }
    onStep(`putting ${name} in place`);
    renameSync(made, place);
    syncFolder(storage);
  }
}
