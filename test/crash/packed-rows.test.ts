import { expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { HttpClient } from '../support/http-client.ts';
import {
  allPages,
  ingest,
  pageChanges,
  preparePages,
  RowWatch,
  walkAt,
} from '../support/packed-walks.ts';
import { scale } from '../support/scale.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const MASTER_KEY = 'a master key of more than thirty-two bytes';
const TIMEOUT_MS = 600_000;
const ROUNDS = scale({ sample: 2, soak: 30 });
const COMMITS = 40;

test(
  'queries over packed rows answer as the keys do, through writes, kill -9 and a compaction',
  async () => {
    await using folder = await temporaryFolder();
    const storage = folder.path;
    const env = { MSK_GRAPH_MASTER_KEY: MASTER_KEY };
    const random = seededRandom(5);
    const start = async () => {
      const server = await TrellisProcess.start({ storage, env });
      const http = new HttpClient(server.url);
      return { server, http, token: await http.signIn() };
    };
    let now = await start();
    await preparePages(now.http, now.token);
    await ingest(now.http, now.token, allPages());
    for (let i = 0; i < 2; i++) await ingest(now.http, now.token, pageChanges(3_000, random));
    const writeSome = async (): Promise<void> => {
      for (let i = 0; i < COMMITS; i++) {
        await ingest(now.http, now.token, pageChanges(20, random));
      }
    };
    {
      using watch = new RowWatch(storage, MASTER_KEY);
      await watch.compareUntil(() => watch.packedIds > 0);
      // Most likely in the middle of packing.
      await now.server.kill();
    }
    for (let round = 0; round < ROUNDS; round++) {
      now = await start();
      using watch = new RowWatch(storage, MASTER_KEY);
      await watch.compareUntil(() => watch.isPacked);
      let isOver = false;
      const writing = writeSome().finally(() => (isOver = true));
      await watch.compareUntil(() => isOver);
      await writing;
      expect(watch.fromRows).toBeGreaterThan(COMMITS / 4);
      if (round === 0) expect(await walkAt(now.http, now.token)).toEqual(watch.compare());
      await watch.compareUntil(() => watch.isPacked);
      expect(await walkAt(now.http, now.token)).toEqual(watch.compare());
      await ingest(now.http, now.token, pageChanges(500, random));
      await now.server.kill();
    }
    const home = { home: storage, server: '', env: { MSK_GRAPH_STORAGE: storage, ...env } };
    expect(await runTrellis(['storage', 'compact'], home)).toMatchObject({ code: 0 });
    now = await start();
    using watch = new RowWatch(storage, MASTER_KEY);
    await watch.compareUntil(() => watch.isPacked);
    expect(await walkAt(now.http, now.token)).toEqual(watch.compare());
    expect(await now.server.stop()).toBe(0);
  },
  TIMEOUT_MS,
);
