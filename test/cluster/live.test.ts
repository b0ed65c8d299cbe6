import { afterAll, beforeAll, expect, test } from 'vitest';
import { valueAt } from '../support/http-client.ts';
import { WatchedEndpoint } from '../support/watched-endpoint.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import { expectOk, sequenceOf } from './workload.ts';

const LIVE_MS = 180_000;
const ENDPOINTS = {
  'notes/count': `export default async function ({ q }: Scope<{}>) {
  return q().startAt('Note').count();
}`,
  'notes/found': `export default async function ({ search }: Scope<{}>) {
  return (await search({ query: 'harbour', types: ['Note'] })).total;
}`,
};
const SCHEMA = { nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }], edges: [] };

let cluster: Cluster;
let primary: ClusterNode;
let replica: ClusterNode;
let admin: string;

beforeAll(async () => {
  cluster = await Cluster.create();
  primary = await cluster.node('primary');
  await primary.startPrimary();
  admin = await primary.http.signIn();
  await send('PUT', '/api/schema', SCHEMA);
  for (const [name, code] of Object.entries(ENDPOINTS)) {
    await send('POST', '/api/endpoints/create', { name, code, isReadOnly: true });
  }
  replica = await cluster.node('replica');
  await replica.startReplica(await cluster.link(primary));
}, LIVE_MS);
afterAll(() => cluster[Symbol.asyncDispose]());

async function send(method: string, path: string, body?: unknown) {
  const answer = await primary.http.send({ method, path, token: admin, body });
  expectOk(answer);
  return answer;
}

const note = (key: string, Text: string) =>
  send('POST', '/api/ingest', {
    operations: [{ op: 'addOrUpdate', type: 'Note', key, fields: { Text } }],
  });

test(
  'a replica tells what is written on the primary, and either goes on where the other was',
  async () => {
    const token = { kind: 'endpoint', name: 'of watches', path: 'notes/' };
    const minted = await send('POST', '/api/tokens', token);
    const watch = (node: ClusterNode, name: string, lastEventId?: string) =>
      WatchedEndpoint.open({
        url: node.address,
        token: String(valueAt(minted.json, 'token')),
        path: `token/live/notes/${name}`,
        lastEventId,
      });
    const synced = { 'x-msk-min-sequence': String(sequenceOf(minted)) };
    const path = '/api/search/index';
    expectOk(await replica.http.send({ path, headers: synced, token: admin }));
    await using first = await watch(replica, 'count');
    await using found = await watch(replica, 'found');
    await first.until(0);
    await found.until(0);
    await note('Coast', 'The harbour of an island');
    const [{ id } = { id: '' }, ...more] = await first.until(1);
    expect(more).toEqual([]);
    expect(await found.until(1)).toHaveLength(1);
    // On the primary, and on the replica again, nothing is new until there is.
    await using second = await watch(primary, 'count', id);
    await using third = await watch(replica, 'count', id);
    const written = await note('Sea', 'Harbours and smugglers');
    for (const one of [first, second, third]) {
      const [told] = await one.until(2);
      expect(told).toMatchObject({ data: { value: 2 } });
      expect(Number(told?.id)).toBeGreaterThanOrEqual(sequenceOf(written));
    }
    expect(await found.until(2)).toHaveLength(1);
    await send('DELETE', `/api/tokens/${String(valueAt(minted.json, 'id'))}`);
    for (const one of [first, second, third, found]) {
      const end = await one.next();
      expect(valueAt(end?.data, 'error', 'code')).toBe('invalid_token');
      expect(await one.next()).toBeUndefined();
    }
  },
  LIVE_MS,
);
