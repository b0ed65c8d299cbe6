import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '../../server/src/base/clock.ts';
import { openSegmentLog } from '../../server/src/log/segment-log.ts';
import { digestState } from '../../server/src/store/snapshot.ts';
import { openSnapshotReader } from '../../server/src/store/snapshot-reader.ts';
import { openState } from '../../server/src/store/state-writer.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

/**
 * The state in a storage folder, after its log is replayed, equals one that is built from the log
 * alone: compared by manifest, that is by the digests of all there is. No server may have the
 * folder open.
 */
export async function expectStateEqualsLog(storage: string): Promise<void> {
  await using scratch = await temporaryFolder();
  await using log = await openSegmentLog({
    folder: join(storage, 'log'),
    clock: systemClock,
    archive: { ttlMs: Number.MAX_SAFE_INTEGER, bytesMax: Number.MAX_SAFE_INTEGER },
  });
  expect(log.firstSequence, 'the log reaches back to the first commit').toBe(1);
  const manifests = [];
  for (const folder of [storage, scratch.path]) {
    await using _state = await openState({ storage: folder, log, clock: systemClock });
    using reader = openSnapshotReader({ storage: folder, environments: ['graph', 'vault'] });
    manifests.push(await digestState(reader));
  }
  expect(manifests[0]).toEqual(manifests[1]);
}
