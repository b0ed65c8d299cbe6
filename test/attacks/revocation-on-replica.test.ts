import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Cluster, type ClusterNode } from '../cluster/cluster.ts';
import { field } from '../support/http-client.ts';

/**
 * Far more than the second that is promised, and far less than what is cut would take by itself.
 */
const SOON_MS = 20_000;
const PASSWORD = 'correct horse battery';
const ENDLESS = `export const input = z.object({}).optional();
export default async ({ run }: Scope<typeof input>) => { for (;;) await run('tick'); };`;

let cluster: Cluster;
let primary: ClusterNode;
let replica: ClusterNode;
let admin: string;
let boss = { uid: '', token: '' };
let users = 0;

beforeAll(async () => {
  cluster = await Cluster.create();
  primary = await cluster.node('primary');
  await primary.startPrimary();
  admin = await primary.http.signIn();
  const endpoint = (name: string, code: string) =>
    change('POST', '/api/endpoints/create', { name, code, isReadOnly: true, timeoutMs: 60_000 });
  await endpoint('tick', 'export default async () => 1;');
  await endpoint('endless', ENDLESS);
  replica = await cluster.node('replica');
  await replica.startReplica(await cluster.link(primary));
});
afterAll(() => cluster[Symbol.asyncDispose]());

/** Signed in, and known to the replica. */
beforeEach(async () => {
  const userName = `boss${++users}`;
  const user = { userName, email: `${userName}@example.com`, password: PASSWORD, isAdmin: true };
  const made = await change('POST', '/api/users', user);
  boss = { uid: field(made.json, 'UID'), token: await primary.http.signIn(userName, PASSWORD) };
  const headers = { 'x-msk-min-sequence': String(made.headers.get('x-msk-sequence')) };
  await replica.http.send({ path: '/api/login/check', token: boss.token, headers });
});

async function change(method: string, path: string, body?: unknown) {
  const answer = await primary.http.send({ method, path, token: admin, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
}

function send(path: string, init: RequestInit): Promise<Response> {
  const headers = { ...init.headers, authorization: `Bearer ${boss.token}` };
  const signal = AbortSignal.timeout(SOON_MS);
  const url = new URL(path, `http://${replica.host}:${replica.httpPort}`);
  return fetch(url, { ...init, headers, signal });
}

test.each([
  ['deactivated', () => change('POST', `/api/users/user/${boss.uid}/deactivate`), 401],
  ['demoted', () => change('PUT', `/api/users/user/${boss.uid}`, { isAdmin: false }), 403],
])('what runs on a replica ends when its user is %s on the primary', async (_how, end, status) => {
  const accept = { accept: 'text/event-stream' };
  const watch = await send('/api/graph/logs/live', { headers: accept });
  expect(watch.status).toBe(200);
  const running = send('/api/endpoints/run/endless', { method: 'POST' });
  const load = () => replica.http.send({ path: '/api/graph/stats/pool', token: admin });
  while (!/endpoint calls +running +[1-9]/.test((await load()).text));
  await end();
  expect((await running).status).toBe(status);
  await watch.text();
  while (!/endpoint calls +running +0/.test((await load()).text));
});
