import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { endOf, restore } from '../support/backups.ts';
import { runTrellis } from '../support/command-line.ts';
import { BookKeeper, BOOK_INDEXES, bookOf, expectVerified } from '../support/indexed-books.ts';
import { scale } from '../support/scale.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const NODES = 12_000;
const ROUNDS = scale({ sample: 1, soak: 6 });
const ENTRIES = [NODES - NODES / 10, NODES, NODES * 2, NODES - NODES / 10];
const MASTER_KEY = 'a master key of more than thirty-two bytes';
const TIMEOUT_MS = 600_000;

/** Its indexes get ready, and have what the nodes say; a value of a unique one is refused. */
async function expectWhole(storage: string, masterKey = ''): Promise<void> {
  {
    await using server = await TrellisProcess.start({
      storage,
      env: { MSK_GRAPH_MASTER_KEY: masterKey },
    });
    const keeper = await BookKeeper.signIn(server);
    await keeper.untilReady();
    expect((await keeper.indexes()).map(({ entries }) => entries)).toEqual(ENTRIES);
    const operations = [{ ...bookOf(17), key: 'copy' }];
    const { http, token } = keeper;
    const copy = await http.send({ path: '/api/ingest', token, body: { operations } });
    expect([copy.status, copy.text]).toEqual([422, expect.stringContaining('not_unique')]);
    expect(await server.stop()).toBe(0);
  }
  await expectVerified(storage, { masterKey });
}

/** A folder whose server was killed in the middle of a build. */
async function halfBuilt(storage: string, env: Record<string, string> = {}): Promise<void> {
  await using server = await TrellisProcess.start({ storage, env });
  const keeper = await BookKeeper.signIn(server);
  await keeper.addBooks(NODES);
  for (;;) {
    await keeper.putIndexes();
    if (await keeper.untilHalfBuilt()) break;
    await keeper.removeIndexes();
  }
  await server.kill();
}

const care = (storage: string, command: string, env: Record<string, string> = {}) =>
  runTrellis(['storage', command], {
    home: storage,
    server: '',
    env: { MSK_GRAPH_STORAGE: storage, ...env },
  });

test(
  'a build goes on after a compaction and after a rotation of the key in its middle',
  async () => {
    await using folder = await temporaryFolder();
    const storage = join(folder.path, 'data');
    await halfBuilt(storage);
    const building = expect.arrayContaining([expect.stringContaining('being built')]);
    await expectVerified(storage, { skipped: building });
    expect(await care(storage, 'compact')).toMatchObject({ code: 0 });
    await expectVerified(storage, { skipped: building });
    const key = { TRELLIS_NEW_MASTER_KEY: MASTER_KEY };
    expect(await care(storage, 'rotate-key', key)).toMatchObject({ code: 0 });
    await expectVerified(storage, { masterKey: MASTER_KEY, skipped: building });
    await expectWhole(storage, MASTER_KEY);
    // Those that hold digests, too.
    const env = { MSK_GRAPH_MASTER_KEY: MASTER_KEY };
    {
      await using server = await TrellisProcess.start({ storage, env });
      const keeper = await BookKeeper.signIn(server);
      await keeper.removeIndexes();
      await keeper.putIndexes();
      await keeper.untilReady();
      expect(await server.stop()).toBe(0);
    }
    expect(await care(storage, 'compact', env)).toMatchObject({ code: 0 });
    const next = `${MASTER_KEY}, the next one`;
    const keys = { MSK_GRAPH_MASTER_KEY: MASTER_KEY, TRELLIS_NEW_MASTER_KEY: next };
    expect(await care(storage, 'rotate-key', keys)).toMatchObject({ code: 0 });
    await expectWhole(storage, next);
  },
  TIMEOUT_MS,
);

test(
  'what is restored from a backup in the middle of a build or a removal goes on with it',
  async () => {
    await using folder = await temporaryFolder();
    const storage = join(folder.path, 'data');
    const backups = join(folder.path, 'backups');
    await using server = await TrellisProcess.start({
      storage,
      env: { MSK_GRAPH_BACKUP_FOLDER: backups },
    });
    const keeper = await BookKeeper.signIn(server);
    const client = new TrellisClient({ baseUrl: server.url, token: keeper.token });
    await keeper.addBooks(NODES);
    for (let round = 0; round < ROUNDS; round++) {
      await keeper.putIndexes();
      await keeper.untilHalfBuilt();
      // The removal of the round before may be under way as well.
      expect(await endOf(client, await client.backups.run())).toMatchObject({ state: 'succeeded' });
      const [{ id } = { id: '' }] = (await client.backups.list()).items;
      expect(await endOf(client, await client.backups.verify(id))).toMatchObject({
        state: 'succeeded',
      });
      const restored = join(folder.path, `restored-${round}`);
      expect(await restore([backups, '--to', restored])).toMatchObject({ code: 0 });
      await expectVerified(restored, { skipped: expect.any(Array) });
      await expectWhole(restored);
      await keeper.untilReady(BOOK_INDEXES.length);
      await keeper.removeIndexes();
    }
  },
  TIMEOUT_MS,
);
