import { expect, test } from 'vitest';
import { healthReport } from '@trellis/contract/shapes/health.ts';
import { Cluster, type ClusterNode } from './cluster.ts';

async function replicationOf({ http }: ClusterNode, token: string) {
  const { json } = await http.send({ path: '/health', token });
  const { parts, status } = healthReport.parse(json);
  return { status, part: parts.find(({ name }) => name === 'replication') };
}

test('a replica that does not hear its primary says so, and takes it back', async () => {
  await using cluster = await Cluster.create();
  const primary = await cluster.node('primary');
  const replica = await cluster.node('replica');
  const link = await cluster.link(primary);
  await primary.startPrimary();
  await replica.startReplica(link);
  const token = await primary.http.signIn();
  const well = { status: 'ok', part: { name: 'replication', status: 'ok', reason: null } };
  expect(await replicationOf(primary, token)).toEqual(well);
  expect(await replicationOf(replica, token)).toEqual(well);

  await primary.process.kill();
  // The first is the connection that broke, the second one that could not be made.
  await replica.process.waitForLine(/trying again/);
  const { mark } = replica.process;
  await replica.process.waitForLine(/trying again/, mark);
  const reason = 'primary_not_connected';
  expect(await replicationOf(replica, token)).toEqual({
    status: 'degraded',
    part: { name: 'replication', status: 'degraded', reason },
  });

  const { mark: before } = replica.process;
  await primary.startPrimary();
  await replica.process.waitForLine(/following the primary/, before);
  expect(await replicationOf(replica, token)).toEqual(well);
});
