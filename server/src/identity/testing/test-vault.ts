import { DB } from '#store/databases.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';
import type { VaultEntry, VaultReader } from '../vault.ts';

/** The vault of a storage folder, always at the newest commit. */
export function openTestVault(storage: string): VaultReader & Disposable {
  const snapshot = openSnapshotReader({ storage, environments: ['graph', 'vault'] });
  return {
    get(key) {
      snapshot.refresh();
      return snapshot.get(DB.vault, Buffer.from(key))?.slice();
    },
    list(prefix) {
      snapshot.refresh();
      const entries: VaultEntry[] = [];
      const range = { start: Buffer.from(prefix), end: Buffer.from(`${prefix}\uffff`) };
      snapshot.scan(DB.vault, range, (key, value) => {
        entries.push({ key: Buffer.from(key).toString(), value: value.slice() });
      });
      return entries;
    },
    [Symbol.dispose]: () => snapshot[Symbol.dispose](),
  };
}
