import { cp, rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { expectCaughtUp, prepareWorkload, Workload } from './workload.ts';
import { Cluster } from './cluster.ts';
import { EXIT_REPLICA_FAILED } from './server-process.ts';
import { manifestOf } from './stopped-state.ts';

test('a replica does not follow a primary that was put back to an older state and has gone on otherwise', async () => {
  await using cluster = await Cluster.create();
  const primary = await cluster.node('primary');
  const replica = await cluster.node('replica');
  const link = await cluster.link(primary);
  const older = `${primary.storage}-older`;
  await primary.startPrimary();
  const token = await prepareWorkload(primary.http);
  await replica.startReplica(link);
  await primary.process.stop();
  await cp(primary.storage, older, { recursive: true });

  await primary.startPrimary();
  {
    await using lost = new Workload(primary.http, token, { label: 'lost' });
    await lost.written(2);
    await lost.stop();
    await expectCaughtUp(replica, lost, token);
  }
  await primary.process.stop();
  await rm(primary.storage, { recursive: true });
  await cp(older, primary.storage, { recursive: true });
  link.cut();
  await primary.startPrimary();
  await using other = new Workload(primary.http, token, { label: 'other' });
  // More than was lost, in commits that end at the same sequences.
  await other.written(4);
  await other.stop();
  link.mend();

  const { code } = await replica.process.waitForExit();
  expect(code).toBe(EXIT_REPLICA_FAILED);
  expect(replica.process.log).toContain('another commit at sequence');
  const started = await replica.startReplica(link);
  expect(started.log).toContain('the primary refused to go on with what it has');
  await expectCaughtUp(replica, other, token);
  await replica.process.stop();
  await primary.process.stop();
  expect(await manifestOf(replica.storage)).toEqual(await manifestOf(primary.storage));
});
