import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from '#log/folder-lock.ts';
import { syncFolder } from '../sync-folder.ts';

/** Where a store that is to take the place of the one in the folder is made; see `rewriteStore`. */
export const REWRITING_FOLDER = 'rewriting';
/** Written, durably, when that store is whole: from then on it is the one that counts. */
export const COMPLETE_FILE = 'complete.json';

export interface CompleteRewrite {
  /** What takes the place of what has the same name in the storage folder, in this order. */
  readonly entries: readonly string[];
  /** What goes away: it was made of the former store, and is made again. */
  readonly removed: readonly string[];
}

export type Settled = 'nothing' | 'discarded' | 'completed';

/**
 * Brings a rewrite that was cut short to one of its two ends: one that is complete takes the place
 * of the former store, anything else is thrown away. Needs no key. To be called before a store is
 * opened; throws `storage_in_use` while a rewrite is under way.
 */
export function settleRewrite(storage: string): Settled {
  if (!existsSync(join(storage, REWRITING_FOLDER))) return 'nothing';
  using _claim = lockFolder(storage);
  return settleClaimed(storage, () => {});
}

/** The same for who has claimed the folder. `onStep` is told of each step before it is taken. */
export function settleClaimed(storage: string, onStep: (step: string) => void): Settled {
  const folder = join(storage, REWRITING_FOLDER);
  if (!existsSync(folder)) return 'nothing';
  const isComplete = existsSync(join(folder, COMPLETE_FILE));
  if (isComplete) putInPlace(storage, folder, onStep);
  onStep('clearing up');
  // Without it the rest is of no use to anybody: it goes first.
  rmSync(join(folder, COMPLETE_FILE), { force: true });
  syncFolder(folder);
  rmSync(folder, { recursive: true });
  syncFolder(storage);
  return isComplete ? 'completed' : 'discarded';
}

/** Each step may have been taken already. */
function putInPlace(storage: string, folder: string, onStep: (step: string) => void): void {
  const text = readFileSync(join(folder, COMPLETE_FILE), 'utf8');
  // Written by `rewriteStore` only.
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
