import type { VaultReader } from '#identity/vault.ts';
import { DB } from '#store/databases.ts';
import { openSnapshotReader } from '#store/snapshot-reader.ts';

/** The vault as `identity` reads it, always at the newest commit. Main thread only. */
export function openVaultReader(options: {
  readonly storage: string;
  readonly environmentKey: undefined;
}): VaultReader & Disposable {
  const snapshot = openSnapshotReader({ ...options, environments: ['graph', 'vault'] });
  return {
    get: (key) => {
      snapshot.refresh();
      return snapshot.get(DB.vault, Buffer.from(key))?.slice();
    },
    [Symbol.dispose]: () => snapshot[Symbol.dispose](),
  };
}
