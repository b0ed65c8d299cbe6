import { DB } from '#store/databases.ts';
import { versionOfKey } from './keys.ts';
import { entryWithoutMerge, type UndoneMerge } from './node-history.ts';
import type { Transactor } from './transactor.ts';

/** Puts the history of one node under the id of another, which has none of its own. */
export function moveHistory(t: Transactor, from: number, to: number): void {
  const { batch, state } = t;
  const entries: { readonly version: number; readonly entry: Uint8Array }[] = [];
  state.view.scan(DB.history, state.keys.versions(from), (key, value) => {
    entries.push({ version: versionOfKey(key), entry: Uint8Array.from(value) });
  });
  for (const { version, entry } of entries) {
    batch.delete(DB.history, state.keys.version(from, version));
    batch.put(DB.history, state.keys.version(to, version), entry);
  }
}

/** Deletes the history that a merge keeps, so that none of its values can be found afterwards. */
export function dropHistory(t: Transactor, id: number): void {
  const { batch, state } = t;
  const versions: number[] = [];
  state.view.scan(DB.history, state.keys.versions(id), (key) => {
    versions.push(versionOfKey(key));
  });
  for (const version of versions) batch.delete(DB.history, state.keys.version(id, version));
}

/**
 * Takes what a merge gave to a node out of the versions that it has had since. Call this last in
 * the commit of the split: its own entry, which followers of the log read, is among them.
 */
export function forgetMerge(t: Transactor, id: number, undone: UndoneMerge): void {
  const { batch, state } = t;
  const first = undone.after.version;
  const last = t.record(id).version;
  const entries: { readonly version: number; readonly entry: Uint8Array }[] = [];
  state.view.scan(DB.history, state.keys.versions(id), (key, value) => {
    const version = versionOfKey(key);
    if (version >= first) entries.push({ version, entry: Uint8Array.from(value) });
  });
  for (const { version, entry } of entries) {
    const part = version === first ? 'merge' : version === last ? 'split' : 'between';
    const rewritten = entryWithoutMerge(state.entry, entry, undone, part);
    if (rewritten.equals(entry)) continue;
    batch.put(DB.history, state.keys.version(id, version), rewritten);
  }
}
