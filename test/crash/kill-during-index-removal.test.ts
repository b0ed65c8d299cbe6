import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openGraphFile } from '../../server/src/store/lmdb-file/graph-file.ts';
import { DB } from '../../server/src/store/databases.ts';
import { BookKeeper, bookOf, expectVerified } from '../support/indexed-books.ts';
import { scale, seed } from '../support/scale.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { expectStateEqualsLog } from './rebuild-from-log.ts';

const TIMEOUT_MS = 600_000;
const NODES = 12_000;
const KILLS = scale({ sample: 3, soak: 40 });

/**
 * How many entries the indexes in a folder have, also while a server has it open: so it is read as
 * a file, since who opens the state needs a turn (`OpeningGate`).
 */
function entriesIn(storage: string): number {
  for (;;) {
    try {
      using file = openGraphFile(join(storage, 'graph'), 'checked');
      return (file?.count(DB.indexes) ?? 0) + (file?.count(DB.uniques) ?? 0);
    } catch (error) {
      // A page was used again while it was read.
      if (!(error instanceof Error)) throw error;
    }
  }
}

test(
  'after kill -9 while indexes are removed or the schema changes, nothing is left of them or lost',
  async () => {
    await using folder = await temporaryFolder();
    const storage = folder.path;
    const random = seededRandom(seed());
    let server = await TrellisProcess.start({ storage });
    let keeper = await BookKeeper.signIn(server);
    await keeper.addBooks(NODES);
    for (let kill = 0; kill < KILLS; kill++) {
      await keeper.putIndexes();
      await keeper.untilReady();
      const whole = entriesIn(storage);
      // Nobody waits for these: the kill comes in their middle.
      const { http, token } = keeper;
      const send = (method: string, path: string, body: unknown) =>
        http.send({ method, path, token, body }).catch(() => undefined);
      const widened = { type: 'Book', fields: { Year: 'Long', [`New${kill}`]: 'String' } };
      const added = [{ field: `New${kill}` }, { field: 'Title' }];
      const under = [
        send('PUT', '/api/schema', { nodes: [{ ...widened, indexes: added }], edges: [] }),
        send('POST', '/api/ingest', { operations: [{ ...bookOf(7), key: 'b7' }] }),
      ];
      await keeper.removeIndexes();
      // What is added meanwhile has fewer entries than this.
      const left = whole * (0.3 + 0.7 * random());
      while (entriesIn(storage) > left) await new Promise(setImmediate);
      await server.kill();
      await Promise.all(under);

      server = await TrellisProcess.start({ storage });
      keeper = await BookKeeper.signIn(server);
      await keeper.removeIndexes();
      await expect.poll(() => entriesIn(storage)).toBe(0);
      if (kill % 10 === 0) {
        expect(await server.stop()).toBe(0);
        await expectVerified(storage, { skipped: expect.any(Array) });
        server = await TrellisProcess.start({ storage });
        keeper = await BookKeeper.signIn(server);
      }
    }
    await keeper.putIndexes();
    await keeper.untilReady();
    expect(await server.stop()).toBe(0);
    await expectVerified(storage);
    await expectStateEqualsLog(storage);
  },
  TIMEOUT_MS,
);
