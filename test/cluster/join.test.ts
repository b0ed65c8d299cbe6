import { afterAll, beforeAll, expect, test } from 'vitest';
import { Cluster, type ClusterNode, type Env } from './cluster.ts';
import { freePort } from './free-port.ts';
import type { Link, PrimaryRoute } from './link.ts';
import { EXIT_REPLICA_FAILED } from './server-process.ts';
import { manifestOf } from './stopped-state.ts';
import { prepareWorkload } from './workload.ts';

const EXIT_CONFIGURATION = 78;

/*
 * Every row of the specification's section 3.1 up to the copy, with what both sides say: how a
 * replica joins, and with which exit code it is refused.
 */
let cluster: Cluster;
let primary: ClusterNode;
let link: Link;

beforeAll(async () => {
  cluster = await Cluster.create();
  primary = await cluster.node('primary');
  link = await cluster.link(primary);
  await primary.startPrimary();
  await prepareWorkload(primary.http);
});
afterAll(() => cluster[Symbol.asyncDispose]());

interface Refusal {
  readonly code: number | null;
  readonly log: string;
}

/** On a machine of its own, so that no test finds what another one left. */
async function refused(env: Env, to: PrimaryRoute = link): Promise<Refusal> {
  const replica = await cluster.node(`replica-${await freePort()}`);
  const started = replica.launchReplica(to, env);
  const { code } = await started.waitForExit();
  return { code, log: started.log };
}

test('with everything as it should be: both sides say how far it is', async () => {
  const { mark } = primary.process;
  const replica = await cluster.node('good');
  const { uid, role, url } = await replica.startReplica(link).then((started) => started.ready);
  expect([role, url]).toEqual(['replica', replica.address]);
  const said = [
    /this replica copies the whole graph: it has none yet/,
    /copying (\d+) of \1 pieces at sequence \d+/,
    /^Copying the graph .* 100 %/,
    /all pieces are here: loading the graph/,
    /following the primary from sequence \d+/,
  ];
  const lines = replica.process.log.split('\n');
  expect(said.map((pattern) => lines.findIndex((line) => pattern.test(line)))).toSatisfy(
    isAscending,
  );
  for (const pattern of [
    `new read-only replica registration: .* \\(${uid}\\)`,
    `the replica .* \\(${uid}\\) of version \\S+ is connected from`,
    `the replica .* \\(${uid}\\) copies \\d+ pieces at sequence \\d+`,
    `the replica .* \\(${uid}\\) follows from sequence \\d+`,
  ]) {
    await primary.process.waitForLine(new RegExp(pattern), mark);
  }
  await replica.process.stop();
});

/** Whether all were found, one after the other. */
function isAscending(places: readonly number[]): boolean {
  return places.every((place, i) => place > (places[i - 1] ?? -1));
}

test('without MSK_JWT_KEY: a common key is mandatory', async () => {
  const { code, log } = await refused({ MSK_JWT_KEY: '' });
  expect(code).toBe(EXIT_CONFIGURATION);
  expect(log).toContain('MSK_JWT_KEY is not set, but a common JWT key is mandatory');
});

test('with the replication port closed: the channel is unavailable', async () => {
  const port = await freePort();
  const { code, log } = await refused({ MSK_REPLICATION_PORT: String(port) });
  expect(code).toBe(EXIT_REPLICA_FAILED);
  expect(log).toContain('"code":"replication_unavailable"');
  expect(log).toContain(`ECONNREFUSED 127.0.0.1:${port}`);
  expect(log).toContain('that its replication port can be reached');
});

test('with no primary at its address', async () => {
  const port = await freePort();
  const { code, log } = await refused({ MSK_PRIMARY_ADDRESS: `http://127.0.0.1:${port}` });
  expect(code).toBe(EXIT_REPLICA_FAILED);
  expect(log).toContain(`the primary does not answer at http://127.0.0.1:${port}`);
});

test('with another key: replication is not authenticated', async () => {
  const { mark } = primary.process;
  const { code, log } = await refused({
    MSK_JWT_KEY: 'a key that is another one, and long enough',
  });
  expect(code).toBe(EXIT_REPLICA_FAILED);
  expect(log).toContain('replication is not authenticated');
  await primary.process.waitForLine(/failed connection of a replica from .*: invalid secret/, mark);
});

test.each(['MSK_PUBLIC_ADDRESS', 'MSK_SERVER_ADDRESS'])(
  'with an empty %s: the primary has no URI',
  async (name) => {
    const { mark } = primary.process;
    const { code, log } = await refused({ [name]: '' });
    expect(code).toBe(EXIT_REPLICA_FAILED);
    expect(log).toMatch(/Address: must be an http or https URL/);
    await primary.process.waitForLine(/a replica was not registered: URI format error/, mark);
  },
);

test.each([
  ['no license', () => ({ MSK_LICENSE: '' })],
  [
    'a license without Replicas',
    () => ({ MSK_LICENSE: cluster.authority.issue({ features: ['Backups'] }) }),
  ],
])('with %s: it does not cover replica usage', async (_what, env) => {
  const { code, log } = await refused(env());
  expect(code).toBe(EXIT_REPLICA_FAILED);
  expect(log).toContain('license does not cover replica usage');
  expect(log, 'told once the graph is loaded').toContain('loading the graph');
});

test('with an expired license', async () => {
  const { code, log } = await refused({ MSK_LICENSE: cluster.authority.issue({ days: -1 }) });
  expect(code).toBe(EXIT_REPLICA_FAILED);
  expect(log).toContain('the license expired at');
});

test('in the folder of a primary, which stays as it is', async () => {
  const other = await cluster.node('other-primary');
  await other.startPrimary();
  await prepareWorkload(other.http);
  await other.process.stop();
  const before = await manifestOf(other.storage);
  const started = other.launchReplica(link);
  expect((await started.waitForExit()).code).toBe(EXIT_REPLICA_FAILED);
  expect(started.log).toContain('"code":"storage_not_empty"');
  expect(await manifestOf(other.storage)).toEqual(before);
});

test('of a primary without MSK_JWT_KEY, which does not listen and tells no lag', async () => {
  const alone = await cluster.node('alone');
  await alone.startPrimary({ MSK_JWT_KEY: '' });
  const health = await alone.http.send({ path: '/health/replica' });
  expect(health.json).toEqual({ isReplica: false, hasReplicas: false });
  const { code, log } = await refused({}, await cluster.link(alone));
  expect(code).toBe(EXIT_REPLICA_FAILED);
  expect(log).toContain('"code":"replication_off"');
  await alone.process.stop();
});

test('of another replica, which is no primary, and in its folder', async () => {
  const replica = await cluster.node('first');
  await replica.startReplica(link);
  const [following, sharing] = await Promise.all([
    cluster.link(replica).then((to) => refused({}, to)),
    refused({ MSK_GRAPH_STORAGE: replica.storage }),
  ]);
  expect([following.code, sharing.code]).toEqual([EXIT_REPLICA_FAILED, EXIT_REPLICA_FAILED]);
  expect(following.log).toContain('"code":"replication_unavailable"');
  expect(sharing.log).toContain('"code":"storage_in_use"');
  await replica.process.stop();
});

test('with a master key that the primary does not have', async () => {
  const { code, log } = await refused({
    MSK_GRAPH_MASTER_KEY: 'a master key that only this replica has',
  });
  expect(code).toBe(EXIT_REPLICA_FAILED);
  expect(log).toContain('the master keys of primary and replica differ');
  expect(primary.process.log).toContain('was not registered: its master key differs');
});

test('with a master key that its own store was made without', async () => {
  const replica = await cluster.node('encrypted');
  await replica.startReplica(link);
  await replica.process.stop();
  const started = replica.launchReplica(link, {
    MSK_GRAPH_MASTER_KEY: 'another master key, which is long enough',
  });
  expect((await started.waitForExit()).code).toBe(EXIT_CONFIGURATION);
  expect(started.log).toContain('"code":"store_not_encrypted"');
});
