import { digestState } from '../../server/src/store/snapshot.ts';
import { openSnapshotReader } from '../../server/src/store/snapshot-reader.ts';
import type { Manifest } from '../../server/src/store/manifest.ts';

/** Digests of all that the store of a stopped server holds. */
export async function manifestOf(storage: string, masterKey?: string): Promise<Manifest> {
  using reader = openSnapshotReader({ storage, masterKey, environments: ['graph', 'vault'] });
  return await digestState(reader);
}
