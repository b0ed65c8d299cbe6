import { expect, test } from 'vitest';
import {
  allPages,
  ingest,
  pageChanges,
  preparePages,
  RowWatch,
  walkAt,
} from '../support/packed-walks.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { Cluster, type ClusterNode } from './cluster.ts';

const TIMEOUT_MS = 600_000;
const COMMITS = 40;

test(
  'a replica packs its own rows, which answer as its keys do, also once it is promoted',
  async () => {
    await using cluster = await Cluster.create();
    const random = seededRandom(9);
    const primary = await cluster.node('primary');
    await primary.startPrimary();
    const token = await primary.http.signIn();
    await preparePages(primary.http, token);
    await ingest(primary.http, token, allPages());
    const replica = await cluster.node('replica');
    const link = await cluster.link(primary);
    await replica.startReplica(link);
    const write = async ({ http }: ClusterNode, writer: string): Promise<void> => {
      for (let i = 0; i < COMMITS; i++) await ingest(http, writer, pageChanges(50, random));
    };
    {
      using watch = new RowWatch(replica.storage);
      await watch.compareUntil(() => watch.isPacked);
      let isOver = false;
      const writing = write(primary, token).finally(() => (isOver = true));
      await watch.compareUntil(() => isOver);
      await writing;
      expect(watch.fromRows).toBeGreaterThan(COMMITS / 4);
      await watch.compareUntil(() => watch.isPacked);
      expect(await walkAt(replica.http, token)).toEqual(watch.compare());
    }
    await primary.process.kill();
    await replica.process.stop();
    await replica.startPrimary();
    const promoted = await replica.http.signIn();
    using watch = new RowWatch(replica.storage);
    watch.compare();
    expect(watch.fromRows, 'its rows are kept').toBe(1);
    await write(replica, promoted);
    expect(await walkAt(replica.http, promoted)).toEqual(watch.compare());
    await watch.compareUntil(() => watch.isPacked);
    expect(await walkAt(replica.http, promoted)).toEqual(watch.compare());
  },
  TIMEOUT_MS,
);
