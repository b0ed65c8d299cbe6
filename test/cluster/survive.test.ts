import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { scale } from '../support/scale.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { expectCaughtUp, prepareWorkload, sequenceOf, Workload, writeBallast } from './workload.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import { InvariantChecker } from './invariant-checker.ts';
import type { Link } from './link.ts';
import { EXIT_REPLICA_FAILED } from './server-process.ts';
import { manifestOf } from './stopped-state.ts';

const FOLLOWING = /following the primary from sequence/;
const MEGABYTE = 1024 * 1024;

let cluster: Cluster;
let primary: ClusterNode;
let replica: ClusterNode;
let link: Link;
let token: string;

beforeAll(async () => {
  // The log archive of the low-memory mode, 1 MiB, is soon gone.
  cluster = await Cluster.create({ MSK_LOW_MEMORY: 'true' });
  primary = await cluster.node('primary');
  replica = await cluster.node('replica');
  link = await cluster.link(primary, seededRandom(7));
  await primary.startPrimary();
  token = await prepareWorkload(primary.http);
  await replica.startReplica(link);
});
afterAll(() => cluster[Symbol.asyncDispose]());

describe('while it is written', () => {
  let workload: Workload;
  let checker: InvariantChecker;
  let tests = 0;

  beforeEach(() => {
    workload = new Workload(primary.http, token, { label: `test-${++tests}`, pauseMs: 2 });
    checker = new InvariantChecker(replica.http, token);
  });
  afterEach(async () => {
    link.mend();
    await workload.stop();
    await checker.stop();
  });

  const expectSurvived = async (): Promise<void> => {
    link.mend();
    await expectCaughtUp(replica, workload, token);
    expect(await checker.stop()).toBeGreaterThan(0);
    expect(replica.process.count(/copying \d+ of/), 'it was copied once').toBe(1);
  };

  test('the link is cut, again and again', async () => {
    for (let times = 0; times < 3; times++) {
      await workload.written(20);
      const { mark } = replica.process;
      link.cut();
      await replica.process.waitForLine(/trying again/, mark);
      await workload.written(20);
      link.mend();
      await replica.process.waitForLine(FOLLOWING, mark);
    }
    await expectSurvived();
  });

  test('connections break and can be made again at once', async () => {
    for (let times = 0; times < 5; times++) {
      await workload.written(20);
      const { mark } = replica.process;
      link.channel.breakConnections();
      await replica.process.waitForLine(FOLLOWING, mark);
    }
    await expectSurvived();
  });

  test('the link is slow, and every chunk takes another time', async () => {
    link.impair({ delayMs: 40, jitterMs: 80 });
    await workload.written(100);
    await expectSurvived();
  });

  test('the link carries less than is written', async () => {
    link.impair({ bytesPerSecond: 5_000 });
    await workload.written(100);
    const answer = await replica.http.send({ path: '/api/schema', token });
    expect(sequenceOf(answer), 'it is behind').toBeLessThan(workload.sequence);
    await expectSurvived();
  });

  test('the link is there and carries nothing for a while', async () => {
    const connections = replica.process.count(FOLLOWING);
    link.hold();
    await workload.written(100);
    await expectSurvived();
    expect(replica.process.count(FOLLOWING), 'the same one goes on').toBe(connections);
  });

  /** A dead connection is held for thirty seconds. */
  test.each(scale<readonly string[]>({ sample: [], soak: ['is given up, and another is made'] }))(
    'a connection that is dead without a word %s',
    async () => {
      const { mark } = replica.process;
      link.channel.abandon();
      await workload.written(100);
      await replica.process.waitForLine(/trying again/, mark);
      await replica.process.waitForLine(FOLLOWING, mark);
      await expectSurvived();
    },
  );

  test('bits change on the way', async () => {
    for (let times = 0; times < 5; times++) {
      await workload.written(20);
      const { mark } = replica.process;
      link.channel.flipBits();
      await replica.process.waitForLine(FOLLOWING, mark);
    }
    await expectSurvived();
  });

  test('the replica gets no processor time for a while', async () => {
    replica.process.freeze();
    await workload.written(100);
    replica.process.thaw();
    await expectSurvived();
  });

  test.each(['stop', 'kill'] as const)('the primary starts again after a %s', async (how) => {
    for (let times = 0; times < 2; times++) {
      await workload.written(30);
      const { mark } = replica.process;
      await primary.process[how]();
      const call = { path: '/api/node/query', token, body: { type: 'Counter' } };
      expect((await replica.http.send(call)).status, 'reads are served meanwhile').toBe(200);
      await primary.startPrimary();
      await replica.process.waitForLine(FOLLOWING, mark);
    }
    await workload.written(20);
    await expectSurvived();
  });
});

describe('the archive is gone', () => {
  /** By its name. */
  const oldestSequence = (): number =>
    Number.parseInt(
      readdirSync(join(primary.storage, 'log'))
        .toSorted()
        .find((name) => /\d/.test(name)) ?? '',
      10,
    );

  /**
   * The primary forgets its replicas as it starts again, and so keeps nothing for one that is away;
   * nor for its index, which is saved when nothing is written for a while.
   */
  const outrun = async (label: string): Promise<void> => {
    await primary.process.stop();
    await primary.startPrimary();
    const { headers } = await primary.http.send({ path: '/api/schema', token });
    await writeBallast(primary.http, token, 3 * MEGABYTE, label);
    const before = Number(headers.get('x-msk-sequence'));
    await expect.poll(oldestSequence).toBeGreaterThan(before + 1);
  };

  test('under a replica that is cut off: it ends, and says why it copies at its next start', async () => {
    const running = replica.process;
    const { mark } = running;
    link.cut();
    await running.waitForLine(/trying again/, mark);
    await outrun('first');
    link.mend();
    expect((await running.waitForExit()).code).toBe(EXIT_REPLICA_FAILED);
    expect(running.log).toMatch(/"code":"(log_trimmed|replication_epoch_differs)"/);
    const again = replica.launchReplica(link);
    await again.waitForLine(
      /copies the whole graph: it ends at sequence \d+, and the primary has its log from \d+ on/,
    );
    await again.ready;
  });

  test('before a replica starts again: only the pieces that changed are copied', async () => {
    await replica.process.stop();
    await outrun('second');
    const started = replica.launchReplica(link);
    const [, missing, all] = await started.waitForLine(/copying (\d+) of (\d+) pieces/);
    expect(Number(missing)).toBeGreaterThan(0);
    expect(Number(missing)).toBeLessThan(Number(all));
    await started.ready;
  });

  test('a replica that only is away for a while keeps the archive', async () => {
    const { mark } = replica.process;
    link.cut();
    await replica.process.waitForLine(/trying again/, mark);
    await writeBallast(primary.http, token, 3 * MEGABYTE, 'third');
    link.mend();
    await replica.process.waitForLine(FOLLOWING, mark);
    expect(replica.process.count(/copying \d+ of/)).toBe(1);
  });
});

test('in the end both have the same state', async () => {
  await using workload = new Workload(primary.http, token, { label: 'last' });
  await workload.written(1);
  await expectCaughtUp(replica, workload, token);
  await replica.process.stop();
  await primary.process.stop();
  const [there, here] = await Promise.all(
    [primary, replica].map(({ storage }) => manifestOf(storage)),
  );
  expect(here).toEqual(there);
});
