import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { must } from '#base/assert.ts';
import { openSegmentLog } from '#log/segment-log.ts';
import { KEEP_ALL, TestClock } from '#log/testing/log-engine.ts';
import { DB } from '../databases.ts';
import { openState } from '../state-writer.ts';
import { countBlocks, toggleEntry } from './counted-entries.ts';
import { nextCount, putCounter } from './counter-commits.ts';

/**
 * A process that commits as fast as it can and prints each acknowledged sequence, until it is
 * killed. Commits have very different sizes, many are in flight at once, and each writes the
 * counter to both environments.
 */
const storage = must(process.argv[2], 'the storage folder');
const clock = new TestClock();
const log = await openSegmentLog({ folder: join(storage, 'log'), clock, archive: KEEP_ALL });
// Steady points are made all the time, so that some are killed in each of their steps.
const steadyRule = { delayMs: 1, bytesMax: 100_000 };
const state = await openState({ storage, log, clock, steadyRule });
await countBlocks(state);

for (let i = 0; ; i++) {
  const committed = state.commit((batch) => {
    const count = nextCount(state.view);
    putCounter(batch, count);
    const entries = i % 50 === 0 ? 5_000 : i % 7;
    for (let entry = 0; entry < entries; entry++) {
      const key = Buffer.alloc(8);
      key.writeUInt32BE((i * 31 + entry * 17) % 20_000, 1);
      if ((i + entry) % 5 === 0) batch.delete(DB.types, key);
      else batch.put(DB.types, key, key.subarray(0, entry % 8));
    }
    for (let entry = 0; entry < 30; entry++) {
      toggleEntry(state.view, batch, count * 30 + entry);
    }
  });
  void committed.then(({ sequence }) => writeSync(1, `${sequence}\n`));
  if (i % 4 === 0) await committed;
  else await nextTurn();
}
