import { afterAll, beforeAll, expect, test } from 'vitest';
import { DB } from '../../server/src/store/databases.ts';
import { openEnvironment } from '../../server/src/store/environment.ts';
import { closeWritten, writeTransaction } from '../../server/src/store/write-transaction.ts';
import { runTrellis, type Outcome } from '../support/command-line.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import type { Link } from './link.ts';
import { prepareWorkload, Workload } from './workload.ts';

let cluster: Cluster;
let primary: ClusterNode;
let link: Link;
let token: string;
beforeAll(async () => {
  cluster = await Cluster.create();
  primary = await cluster.node('primary');
  link = await cluster.link(primary);
  await primary.startPrimary();
  token = await prepareWorkload(primary.http);
});
afterAll(() => cluster[Symbol.asyncDispose]());

function replicaCommand(...args: string[]): Promise<Outcome> {
  const server = primary.address;
  return runTrellis(['replica', ...args], { home: cluster.folder, server, token });
}

/** As a disk, or a hand, may do to the state of a server that does not run. */
async function loseAnEntry(storage: string): Promise<void> {
  const graph = openEnvironment('graph', { storage, readOnly: false });
  const uids = graph.stores[DB.uids];
  const [key] = uids?.stored.getKeys({ limit: 1 }) ?? [];
  if (uids === undefined || key === undefined) throw new Error('the state has no UIDs');
  await writeTransaction(graph, () => uids.remove(key));
  await closeWritten(graph);
}

test('replicas are equal to the primary, also while it is written to', async () => {
  const [one, two] = [await cluster.node('one'), await cluster.node('two')];
  await Promise.all([one.startReplica(link), two.startReplica(link)]);
  {
    await using workload = new Workload(primary.http, token);
    await workload.written(3);
    for (let round = 0; round < 3; round++) {
      const { code, stdout, stderr } = await replicaCommand('verify', '--json');
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const { isEqual, replicas } = JSON.parse(stdout);
      expect(isEqual).toBe(true);
      expect(replicas).toMatchObject([{ state: 'equal' }, { state: 'equal' }]);
    }
    await workload.written(3);
  }
  const { code, stdout, stderr } = await replicaCommand('status');
  expect(code).toBe(0);
  for (const { process } of [one, two]) {
    expect(stdout).toContain((await process.ready).uid);
  }
  expect(stderr).toContain('To promote when the primary is lost');
  await two.process.stop();
  await one.process.stop();
});

test('a comparison is a job, which tells what it found and can be cancelled', async () => {
  const ask = async (path: string, method = 'GET') => {
    const { status, json } = await primary.http.send({ method, path, token });
    return { status, json: Object(json) };
  };
  const jobs = '/api/jobs?kind=replica-verification';
  const done = (await ask(jobs)).json.items;
  expect(done).toHaveLength(3);
  const { json } = await ask(`/api/jobs/${done[0].id}`);
  expect(json).toMatchObject({ state: 'succeeded', progress: 1 });
  const equal = { text: expect.stringMatching(/^[\w-]+: equal$/) };
  expect(json.log).toMatchObject([equal, equal]);
  // The replicas have gone and are not forgotten yet: this one waits for them.
  const verification = ask('/api/replicas/verify', 'POST');
  await expect.poll(async () => (await ask(jobs)).json.items[0].state).toBe('running');
  const { id } = (await ask(jobs)).json.items[0];
  expect((await ask(`/api/jobs/${id}/cancel`, 'POST')).status).toBe(202);
  expect(await verification).toMatchObject({
    status: 409,
    json: { error: { code: 'job_cancelled' } },
  });
  const cancelled = (await ask(`/api/jobs/${id}`)).json;
  expect(cancelled.state).toBe('cancelled');
  await primary.process.stop();
  await primary.startPrimary();
  expect((await ask(`/api/jobs/${id}`)).json).toEqual(cancelled);
});

test('a replica whose state is damaged is found, and what differs is named', async () => {
  const damaged = await cluster.node('damaged');
  await damaged.startReplica(link);
  await damaged.process.stop();
  await loseAnEntry(damaged.storage);
  const { uid } = await (await damaged.startReplica(link)).ready;
  const { code, stdout } = await replicaCommand('verify', '--json');
  expect(code).toBe(1);
  const { isEqual, replicas } = JSON.parse(stdout);
  expect(isEqual).toBe(false);
  expect(replicas.find((replica: { replicaUID: string }) => replica.replicaUID === uid)).toEqual({
    replicaUID: uid,
    replicaName: expect.any(String),
    state: 'different',
    differences: [
      {
        database: 'uids',
        piecesOnPrimary: 1,
        piecesOnReplica: 1,
        firstKey: expect.stringMatching(/^[0-9a-f]+$/),
      },
    ],
  });
});

test('a primary without replicas has nothing to compare, and one without a key says why', async () => {
  const alone = await cluster.node('alone');
  await alone.startPrimary();
  const own = await alone.http.signIn();
  const ask = (...args: string[]): Promise<Outcome> =>
    runTrellis(['replica', ...args], { home: cluster.folder, server: alone.address, token: own });
  expect(await ask('verify')).toMatchObject({
    code: 0,
    stderr: 'No replica is registered: there is nothing to compare.\n',
  });
  await alone.process.stop();
  await alone.startPrimary({ MSK_JWT_KEY: '' });
  const { code, stderr } = await runTrellis(['replica', 'status'], {
    home: cluster.folder,
    server: alone.address,
    token: await alone.http.signIn(),
  });
  expect(code).toBe(1);
  expect(stderr).toContain('This server serves no replicas');
});
