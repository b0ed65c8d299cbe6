import { openSnapshotReader } from '#store/snapshot-reader.ts';
import type { SnapshotReaderOptions } from '#store/snapshot-reader.ts';
import { StateReader } from './state-reader.ts';

/**
 * A reader of the graph in a storage folder, for any thread of any process. Dispose of it to close
 * its environment.
 */
export function openGraphReader(options: Omit<SnapshotReaderOptions, 'environments'>): StateReader {
  const snapshot = openSnapshotReader({ ...options, environments: ['graph'] });
  return new StateReader(snapshot, snapshot);
}
