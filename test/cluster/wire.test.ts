import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { requireNetworkNamespaces } from '../support/requires.ts';
import { expectCaughtUp, prepareWorkload, readItems, Workload, writeBallast } from './workload.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import { InvariantChecker } from './invariant-checker.ts';
import type { PrimaryRoute } from './link.ts';
import { EXIT_REPLICA_FAILED } from './server-process.ts';
import { Wire, type WireFault } from './wire.ts';

const FOLLOWING = /following the primary from sequence/;
const MEGABYTE = 1024 * 1024;

describe.skipIf(requireNetworkNamespaces())('two machines and a wire', () => {
  const resources = new AsyncDisposableStack();
  let wire: Wire;
  let primary: ClusterNode;
  let replica: ClusterNode;
  let toPrimary: PrimaryRoute;
  let token: string;
  let workload: Workload;
  let checker: InvariantChecker;
  let tests = 0;

  beforeAll(async () => {
    wire = resources.use(new Wire());
    const cluster = resources.use(await Cluster.create());
    primary = await cluster.node('primary', wire.places[0]);
    replica = await cluster.node('replica', wire.places[1]);
    toPrimary = {
      address: `http://${wire.address}:${primary.httpPort}`,
      channel: { port: primary.replicationPort },
    };
    await primary.startPrimary();
    token = await prepareWorkload(primary.http);
    await writeBallast(primary.http, token, 2 * MEGABYTE);
  });
  afterAll(() => resources.disposeAsync());

  beforeEach(() => {
    workload = new Workload(primary.http, token, { label: `test-${++tests}`, pauseMs: 2 });
    checker = new InvariantChecker(replica.http, token);
  });
  afterEach(async () => {
    wire.plug();
    wire.repair();
    await workload.stop();
    await checker.stop();
  });

  test('a replica joins over a wire that loses packets', async () => {
    wire.impair('loss');
    await replica.startReplica(toPrimary);
    await expectCaughtUp(replica, workload, token);
    expect(await readItems(replica.http, token)).toEqual(await readItems(primary.http, token));
  });

  test.each<WireFault>(['loss', 'reordering', 'throttle'])(
    'it follows through %s',
    async (fault) => {
      wire.impair(fault);
      const connections = replica.process.count(FOLLOWING);
      // Few packets, as a busy machine sends, may all escape.
      do await workload.written(100);
      while (wire.spoiledPackets === 0);
      await expectCaughtUp(replica, workload, token);
      expect(await checker.stop()).toBeGreaterThan(0);
      expect(wire.spoiledPackets).toBeGreaterThan(0);
      expect(replica.process.count(FOLLOWING), 'on one connection').toBe(connections);
    },
  );

  test('the wire is pulled out, and nobody is told', async () => {
    wire.pull();
    await workload.written(100);
    const behind = { 'x-msk-min-sequence': String(workload.sequence) };
    const answer = await replica.http.send({ path: '/api/schema', token, headers: behind });
    expect(answer.status, 'it is behind').toBe(503);
    wire.plug();
    await expectCaughtUp(replica, workload, token);
    expect(await checker.stop()).toBeGreaterThan(0);
  });

  test('the primary starts again while the wire is out', async () => {
    const { mark } = replica.process;
    wire.pull();
    await primary.process.kill();
    await primary.startPrimary();
    await workload.written(20);
    wire.plug();
    await replica.process.waitForLine(FOLLOWING, mark);
    await expectCaughtUp(replica, workload, token);
  });

  test('the replica starts again while the wire is out, and has no primary', async () => {
    await replica.process.kill();
    wire.pull();
    const started = replica.launchReplica(toPrimary);
    expect((await started.waitForExit()).code).toBe(EXIT_REPLICA_FAILED);
    expect(started.log).toContain('"code":"replication_unavailable"');
    wire.plug();
    await replica.startReplica(toPrimary);
    await expectCaughtUp(replica, workload, token);
  });
});
