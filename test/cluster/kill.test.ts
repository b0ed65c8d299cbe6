import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Cluster, type ClusterNode } from './cluster.ts';
import { InvariantChecker } from './invariant-checker.ts';
import { EXIT_REPLICA_FAILED, killAfterChanges, type ServerProcess } from './server-process.ts';
import type { Link } from './link.ts';
import { scale } from '../support/scale.ts';
import { expectCaughtUp, prepareWorkload, Workload, writeBallast } from './workload.ts';

/** The middle of the copy is in copy.test.ts. */
const BALLAST_BYTES = 4 * 1024 * 1024;

let cluster: Cluster;
let primary: ClusterNode;
let replica: ClusterNode;
let link: Link;
let token: string;
let workload: Workload;
let checker: InvariantChecker;

beforeAll(async () => {
  cluster = await Cluster.create();
  primary = await cluster.node('primary');
  await primary.startPrimary();
  token = await prepareWorkload(primary.http);
  await writeBallast(primary.http, token, BALLAST_BYTES);
});
afterAll(() => cluster[Symbol.asyncDispose]());

let tests = 0;
beforeEach(async () => {
  tests++;
  replica = await cluster.node(`replica-${tests}`);
  link = await cluster.link(primary);
  workload = new Workload(primary.http, token, { label: `test-${tests}`, pauseMs: 10 });
  checker = new InvariantChecker(replica.http, token);
});
afterEach(async () => {
  await workload.stop();
  await checker.stop();
  await replica.process.kill();
});

/**
 * What a replica goes through, and how to tell that it is there; it stays there while it is killed.
 */
interface Step {
  readonly name: string;
  reach(): Promise<ServerProcess>;
  /** Whether a replica at this step cannot be without its primary. */
  readonly needsPrimary: boolean;
}

async function launch(
  reached: (started: ServerProcess) => Promise<unknown>,
): Promise<ServerProcess> {
  const started = replica.launchReplica(link);
  await reached(started);
  return started;
}

const STEPS: readonly Step[] = [
  {
    name: 'registering',
    needsPrimary: true,
    reach: () => {
      link.http.hold();
      return launch(() => link.http.connected());
    },
  },
  {
    name: 'opening the channel',
    needsPrimary: true,
    reach: () => {
      link.channel.hold();
      return launch(() => link.channel.connected());
    },
  },
  {
    name: 'waiting for a snapshot',
    needsPrimary: true,
    reach: () => launch((started) => started.waitForLine(/this replica copies the whole graph/)),
  },
  {
    name: 'loading',
    needsPrimary: false,
    reach: () => launch((started) => started.waitForLine(/all pieces are here: loading the graph/)),
  },
  {
    name: 'tailing',
    needsPrimary: false,
    reach: async () => {
      const started = await replica.startReplica(link);
      await workload.written(20);
      return started;
    },
  },
  {
    name: 'flushing as it stops',
    needsPrimary: false,
    reach: async () => {
      const started = await replica.startReplica(link);
      await workload.written(20);
      const { mark } = started;
      void started.stop();
      await started.waitForLine(/SIGTERM: stopping/, mark);
      return started;
    },
  },
];

/** A sample kills the replica at every second step and the primary at the others; a soak both. */
const OF_REPLICA = STEPS.filter((_, number) => scale({ sample: number % 2 === 1, soak: true }));
const OF_PRIMARY = STEPS.filter((_, number) => scale({ sample: number % 2 === 0, soak: true }));

describe('the replica is killed', () => {
  test.each(OF_REPLICA.map((step) => [step.name, step] as const))(
    'while %s',
    async (_name, step) => {
      await (await step.reach()).kill();
      link.mend();
      await replica.startReplica(link);
      await expectCaughtUp(replica, workload, token);
      expect(await checker.stop()).toBeGreaterThan(0);
    },
  );
});

test('the replica is killed wherever it is in a copy, and again and again', async () => {
  for (const changes of scale({ sample: [3, 10, 21], soak: [3, 6, 10, 15, 21, 28] })) {
    await killAfterChanges(replica.storage, changes, () => replica.launchReplica(link));
  }
  await replica.startReplica(link);
  await expectCaughtUp(replica, workload, token);
});

describe('the primary is killed', () => {
  const stays = OF_PRIMARY.filter(({ name }) => name !== 'flushing as it stops');

  test.each(stays.map((step) => [step.name, step] as const))(
    'while the replica is %s',
    async (_name, step) => {
      const started = await step.reach();
      await primary.process.kill();
      link.mend();
      if (step.needsPrimary) expect((await started.waitForExit()).code).toBe(EXIT_REPLICA_FAILED);
      await primary.startPrimary();
      if (step.needsPrimary) await replica.startReplica(link);
      else await started.ready;
      await expectCaughtUp(replica, workload, token);
      if (!step.needsPrimary) expect(started.isRunning, 'it waited for its primary').toBe(true);
      expect(await checker.stop()).toBeGreaterThan(0);
    },
  );

  test('as it stops and flushes', async () => {
    const started = await replica.startReplica(link);
    await workload.written(20);
    const { mark } = primary.process;
    void primary.process.stop();
    await primary.process.waitForLine(/SIGTERM: stopping/, mark);
    await primary.process.kill();
    await primary.startPrimary();
    await expectCaughtUp(replica, workload, token);
    expect(started.isRunning).toBe(true);
  });
});
