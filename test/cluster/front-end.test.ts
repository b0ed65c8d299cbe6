import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { webSocketMessage } from '@trellis/contract/web-socket.ts';
import { zipOf } from '../support/zip.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import type { Link } from './link.ts';

const PAGE = '<!doctype html><title>one</title><script src="a.js"></script>';

let cluster: Cluster;
let primary: ClusterNode;
let replica: ClusterNode;
let link: Link;
let env: { readonly TRELLIS_FRONT_END: string };

beforeEach(async () => {
  cluster = await Cluster.create();
  env = { TRELLIS_FRONT_END: join(cluster.folder, 'web') };
  await mkdir(env.TRELLIS_FRONT_END);
  await put({ 'index.html': PAGE, 'a.js': 'a', 'b.css': 'b {}' });
  primary = await cluster.node('primary');
  replica = await cluster.node('replica');
  link = await cluster.link(primary);
});
afterEach(() => cluster[Symbol.asyncDispose]());

async function put(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(env.TRELLIS_FRONT_END, name), text);
  }
}

const get = async ({ http }: ClusterNode, path: string) => await http.send({ path });
const pageOf = async (node: ClusterNode): Promise<string> => (await get(node, '/')).text;
const kept = async (): Promise<string[]> => await readdir(join(replica.storage, 'front-end'));

/** The messages of a WebSocket of a page that the node has sent. */
async function listen(node: ClusterNode) {
  const token = await node.http.signIn();
  const socket = new WebSocket(`${node.address.replace('http', 'ws')}/api/ws`);
  const messages: unknown[] = [];
  const views: string[] = [];
  socket.addEventListener('message', ({ data }) => {
    const message = webSocketMessage.parse(JSON.parse(data));
    if (message.type === 'VIEW_CHANGED') views.push(message.view);
    else messages.push(message);
  });
  socket.addEventListener('open', () => socket.send(JSON.stringify({ token })));
  await expect.poll(() => messages.length).toBe(1);
  return { messages, views, [Symbol.dispose]: () => socket.close() };
}

test('a replica has the front end of its primary, and both know the replica', async () => {
  await primary.startPrimary(env);
  using page = await listen(primary);
  expect(await pageOf(primary)).toContain('MSKREPLICAURLS=""');
  await replica.startReplica(link);
  const listed = `MSKREPLICAURLS="${replica.address}"`;
  expect(await pageOf(primary)).toContain(listed);
  await expect
    .poll(() => page.messages)
    .toEqual([
      { type: 'REPLICAS_CHANGED', replicas: '' },
      { type: 'REPLICAS_CHANGED', replicas: replica.address },
    ]);
  // It says how far it is, for as long as it runs.
  const views = () => page.views.filter((view) => view !== 'search');
  await expect.poll(() => views().length).toBeGreaterThan(1);
  expect(new Set(views())).toEqual(new Set(['replicas']));
  await expect.poll(() => pageOf(replica)).toContain(listed);
  expect(await pageOf(replica)).toContain('<title>one</title>');
  for (const path of ['/a.js', '/b.css']) {
    const [there, here] = [await get(primary, path), await get(replica, path)];
    expect([here.text, here.headers.get('etag')]).toEqual([there.text, there.headers.get('etag')]);
  }
  const policy = (await get(replica, '/')).headers.get('content-security-policy');
  expect(policy).toContain(`connect-src 'self' ${link.address} ${replica.address};`);
  expect(await kept()).toHaveLength(3);
});

test('before it has copied anything, a replica shows that it starts', async () => {
  await primary.startPrimary(env);
  link.channel.hold();
  const own = join(cluster.folder, 'own');
  await mkdir(own);
  await writeFile(join(own, 'index.html'), '<title>own</title>');
  const started = replica.launchReplica(link, { TRELLIS_FRONT_END: own });
  await expect.poll(() => pageOf(replica).catch(() => '')).toContain('<title>own</title>');
  link.channel.mend();
  await started.ready;
  expect(await pageOf(replica)).toContain('<title>one</title>');
});

test('a changed setting reaches the pages of all, and those who listen', async () => {
  await primary.startPrimary(env);
  await replica.startReplica(link);
  await expect.poll(() => pageOf(replica)).toContain(replica.address);
  using page = await listen(replica);
  const token = await primary.http.signIn();
  const body = { ReplicaURLs: 'https://named.example' };
  await primary.http.send({ method: 'PUT', path: '/api/workspace/settings', token, body });
  const replicas = `https://named.example;${replica.address}`;
  await expect.poll(() => page.messages.at(-1)).toEqual({ type: 'REPLICAS_CHANGED', replicas });
  for (const node of [primary, replica]) {
    expect(await pageOf(node)).toContain(`MSKREPLICAURLS="${replicas}"`);
  }
});

test('the pages of a replica are told of jobs of the primary, and of its own new schema', async () => {
  await primary.startPrimary(env);
  await replica.startReplica(link);
  using page = await listen(replica);
  const token = await primary.http.signIn();
  const body = {
    nodes: [{ type: 'Book', key: 'Isbn', fields: { Year: 'Int' }, indexes: [{ field: 'Year' }] }],
    edges: [],
  };
  await primary.http.send({ method: 'PUT', path: '/api/schema', token, body });
  await expect.poll(() => page.views).toContain('schema');
  await expect
    .poll(() => page.messages)
    .toContainEqual(
      expect.objectContaining({
        type: 'JOB_CHANGED',
        job: expect.objectContaining({ kind: 'endpoint-recheck', state: 'succeeded' }),
      }),
    );
});

test('a new front end of the primary comes to a replica that runs on, and its pages hear of it', async () => {
  await primary.startPrimary(env);
  await replica.startReplica(link);
  using page = await listen(replica);
  await primary.process.stop();
  await put({ 'index.html': PAGE.replace('one', 'two'), 'c.js': 'c' });
  await rm(join(env.TRELLIS_FRONT_END, 'b.css'));
  expect(await pageOf(replica)).toContain('<title>one</title>');
  await primary.startPrimary(env);
  await expect
    .poll(() => page.messages)
    .toContainEqual({
      type: 'FRONTEND_CHANGED',
    });
  expect(await pageOf(replica)).toContain('<title>two</title>');
  expect((await get(replica, '/c.js')).text).toBe('c');
  expect((await get(replica, '/b.css')).status).toBe(404);
  await expect.poll(kept).toHaveLength(3);
});

/** As the administrator of the node. */
async function upload({ http }: ClusterNode, name: string, title: string): Promise<void> {
  const token = await http.signIn();
  const headers = { 'content-type': 'application/zip' };
  const body = await zipOf({ 'index.html': PAGE.replace('one', title), [`${name}.js`]: name });
  const path = `/api/interfaces/${name}`;
  expect((await http.send({ method: 'PUT', path, token, headers, body })).status).toBe(200);
}

async function choose({ http }: ClusterNode, name: string | null): Promise<void> {
  const token = await http.signIn();
  const path = '/api/workspace/settings';
  const { status } = await http.send({ method: 'PUT', path, token, body: { interface: name } });
  expect(status).toBe(200);
}

test('an interface that is chosen comes to a replica, which has all of them when it is promoted', async () => {
  await primary.startPrimary(env);
  await upload(primary, 'early', 'early');
  await replica.startReplica(link);
  using page = await listen(replica);
  await upload(primary, 'late', 'late');
  await choose(primary, 'late');
  await expect.poll(() => page.messages).toContainEqual({ type: 'FRONTEND_CHANGED' });
  expect(await pageOf(replica)).toContain('<title>late</title>');
  expect((await get(replica, '/late.js')).text).toBe('late');
  expect((await get(replica, '/trellis/')).text).toContain('<title>one</title>');
  const token = await replica.http.signIn();
  const list = await replica.http.send({ path: '/api/interfaces', token });
  expect(list.json).toMatchObject({
    items: [
      { name: 'early', chosen: false },
      { name: 'late', chosen: true },
    ],
  });
  const refused = await replica.http.send({
    method: 'PUT',
    path: '/api/interfaces/late',
    token,
    headers: { 'content-type': 'application/zip' },
    body: new Uint8Array(),
  });
  expect([refused.status, refused.headers.get('location')]).toEqual([
    303,
    `${link.address}/api/interfaces/late`,
  ]);
  // Those of the built-in front end, and two of each interface.
  await expect.poll(kept).toHaveLength(3 + 2 + 2);

  await primary.process.kill();
  await replica.process.stop();
  await replica.startPrimary(env);
  expect(await pageOf(replica)).toContain('<title>late</title>');
  await choose(replica, 'early');
  expect(await pageOf(replica)).toContain('<title>early</title>');
  await choose(replica, null);
  expect(await pageOf(replica)).toContain('<title>one</title>');
});

test('a restarted replica has a damaged file again', async () => {
  await primary.startPrimary(env);
  await replica.startReplica(link);
  await replica.process.stop();
  for (const name of await kept()) {
    await writeFile(join(replica.storage, 'front-end', name), 'damaged');
  }
  await replica.startReplica(link);
  expect((await get(replica, '/a.js')).text).toBe('a');
});

test('a replica that cannot get the front end ends', async () => {
  await primary.startPrimary(env);
  const started = replica.launchReplica(link);
  await started.waitForLine(/loading the graph/);
  link.hold();
  await started.waitForLine(/copying 3 files of the front end/);
  await primary.process.kill();
  link.cut();
  expect(await started.waitForExit()).toEqual({ code: 57_005 & 0xff, signal: null });
  expect(started.log).toContain('replication_unavailable');
});
