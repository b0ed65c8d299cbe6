import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  expectCaughtUp,
  prepareWorkload,
  readItems,
  sequenceOf,
  Workload,
  writeBallast,
} from './workload.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import { InvariantChecker } from './invariant-checker.ts';
import { EXIT_REPLICA_FAILED, killAfterChanges } from './server-process.ts';
import type { Link } from './link.ts';
import { manifestOf } from './stopped-state.ts';

const EXIT_FAILED = 1;
const MASTER_KEY = 'a master key that the nodes of this cluster share';
const PROMOTED = /this replica is a primary now, of the new epoch [0-9a-f]{32}/;
const MEGABYTE = 1024 * 1024;

interface Scene {
  readonly cluster: Cluster;
  readonly token: string;
  readonly primary: ClusterNode;
  readonly replicas: readonly { readonly node: ClusterNode; readonly link: Link }[];
}

/** A primary and its replicas, encrypted. */
async function startScene(cluster: Cluster, names: readonly string[]): Promise<Scene> {
  const primary = await cluster.node('primary');
  await primary.startPrimary();
  const token = await prepareWorkload(primary.http);
  const replicas = await Promise.all(
    names.map(async (name) => {
      const node = await cluster.node(name);
      const link = await cluster.link(primary);
      await node.startReplica(link);
      return { node, link };
    }),
  );
  return { cluster, token, primary, replicas };
}

async function sequenceAt({ http }: ClusterNode, token: string): Promise<number> {
  return sequenceOf(await http.send({ path: '/api/schema', token }));
}

async function expectSameState(nodes: readonly ClusterNode[]): Promise<void> {
  for (const { process } of nodes) await process.stop();
  const manifests = await Promise.all(nodes.map(({ storage }) => manifestOf(storage, MASTER_KEY)));
  for (const manifest of manifests) expect(manifest).toEqual(manifests[0]);
}

test('a replica becomes the primary, has all that had reached it, and the others copy it', async () => {
  await using cluster = await Cluster.create({ MSK_GRAPH_MASTER_KEY: MASTER_KEY });
  const { primary, token, replicas } = await startScene(cluster, ['near', 'far']);
  const [near, far] = replicas;
  if (near === undefined || far === undefined) throw new Error('two replicas were started');
  await using workload = new Workload(primary.http, token);
  await using _nearChecked = new InvariantChecker(near.node.http, token);
  await using farChecked = new InvariantChecker(far.node.http, token);
  await workload.written(100);
  // What is promoted is behind the other one, and both are behind the primary.
  near.link.hold();
  await workload.written(50);
  far.link.hold();
  await workload.written(50);
  await primary.process.kill();
  const acknowledged = [...workload.acknowledged];
  const reached = await sequenceAt(near.node, token);
  expect(reached).toBeLessThan(await sequenceAt(far.node, token));
  await near.node.process.stop();

  const promoted = await near.node.startPrimary();
  expect(promoted.log).toMatch(PROMOTED);
  workload.pointTo(near.node.http);
  await workload.written(20);
  const items = await readItems(near.node.http, token);
  const replicated = acknowledged.filter(({ sequence }) => sequence <= reached);
  expect(replicated.length).toBeGreaterThan(0);
  expect(replicated.filter(({ item }) => !items.has(item))).toEqual([]);

  far.link.pointTo(near.node);
  far.link.mend();
  expect((await far.node.process.waitForExit()).code).toBe(EXIT_REPLICA_FAILED);
  expect(far.node.process.log).toContain('"code":"replication_epoch_differs"');
  const again = far.node.launchReplica(far.link);
  await again.waitForLine(
    /copies the whole graph: it follows the epoch \w+, the primary is of \w+/,
  );
  await again.ready;
  const written = workload.acknowledged.length;
  await expect.poll(() => workload.acknowledged.length).toBeGreaterThan(written);
  await workload.stop();
  const headers = { 'x-msk-min-sequence': String(workload.sequence) };
  const read = { path: '/api/schema', token, headers };
  await expect.poll(async () => (await far.node.http.send(read)).status).toBe(200);
  expect(await readItems(far.node.http, token)).toEqual(await readItems(near.node.http, token));
  expect(await farChecked.stop()).toBeGreaterThan(0);

  await expectSameState([far.node, near.node]);
});

test('a folder whose copy was never finished is refused, and a replica can finish it', async () => {
  await using cluster = await Cluster.create({ MSK_GRAPH_MASTER_KEY: MASTER_KEY });
  const { primary, token } = await startScene(cluster, []);
  await writeBallast(primary.http, token, 8 * MEGABYTE);
  const node = await cluster.node('replica');
  const link = await cluster.link(primary);
  const held = link.channel.holdAfter(4 * MEGABYTE);
  const started = node.launchReplica(link);
  await Promise.race([held, started.exited]);
  await started.kill();
  const refused = node.launchPrimary();
  expect((await refused.waitForExit()).code).toBe(EXIT_FAILED);
  expect(refused.log).toContain('"code":"replica_unfinished"');
  link.mend();
  await node.startReplica(link);
  expect(await readItems(node.http, token)).toEqual(await readItems(primary.http, token));
});

test('a promotion that is killed, wherever it is, can be tried again', async () => {
  await using cluster = await Cluster.create({ MSK_GRAPH_MASTER_KEY: MASTER_KEY });
  const { primary, token, replicas } = await startScene(cluster, ['replica']);
  const [replica] = replicas;
  if (replica === undefined) throw new Error('a replica was started');
  const { node } = replica;
  await using workload = new Workload(primary.http, token);
  await workload.written(30);
  await expectCaughtUp(node, workload, token);
  await node.process.stop();
  await primary.process.stop();
  for (const changes of [1, 4, 8, 14]) {
    await killAfterChanges(node.storage, changes, () => node.launchPrimary());
  }
  await node.startPrimary();
  expect(existsSync(join(node.storage, 'replica.json'))).toBe(false);
  const items = await readItems(node.http, token);
  const missing = workload.acknowledged.filter(({ item }) => !items.has(item));
  expect(missing, 'missing after the promotion').toEqual([]);
  await using more = new Workload(node.http, token, { label: 'after' });
  await more.written(5);
  await more.stop();
  await node.process.stop();
  expect((await node.startPrimary()).log, 'it was promoted once').not.toMatch(PROMOTED);
});
