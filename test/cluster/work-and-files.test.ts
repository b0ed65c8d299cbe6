import { afterAll, beforeAll, expect, test } from 'vitest';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { nodeUid } from '@trellis/client/uid.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import type { Link } from './link.ts';

const FILE_BYTES = 3_000_000;
const NOTE = nodeUid('Note', 'first');
const EVERY_SECOND = '* * * * * *';

let cluster: Cluster;
let primary: ClusterNode;
let replica: ClusterNode;
let link: Link;
let token: string;
let file: string;
const content = crypto.getRandomValues(new Uint8Array(65_536));

beforeAll(async () => {
  cluster = await Cluster.create();
  primary = await cluster.node('primary');
  replica = await cluster.node('replica');
  await primary.startPrimary();
  link = await cluster.link(primary);
  await replica.startReplica(link);
  token = await primary.http.signIn();
  const admin = clientOf(primary);
  await admin.schema.put({
    nodes: [{ type: 'Note', key: 'Name', fields: { Text: 'String' } }],
    edges: [],
  });
  await admin.graph.ingest([{ op: 'addOrUpdate', type: 'Note', key: 'first' }]);
  const large = new Blob(Array.from({ length: FILE_BYTES / content.length }, () => content));
  ({ UID: file } = await admin.files.uploadInPieces(NOTE, 'large.bin', large));
  await admin.files.upload(NOTE, 'page.html', new Blob(['<p>A quokka on an island</p>']));
  const code = 'export default ({ log }: Scope) => log.info("ran");\n';
  await admin.endpoints.create({ name: 'tick', code });
});
afterAll(() => cluster[Symbol.asyncDispose]());

/** A client that follows no redirect: what the node does not answer itself is an error. */
function clientOf(node: ClusterNode): TrellisClient {
  return new TrellisClient({ baseUrl: node.address, token, readYourWrites: true });
}

async function bytesAt(node: ClusterNode, range?: { from: number; to: number }) {
  return new Response(await clientOf(node).files.download(file, { range })).bytes();
}

async function upToDate(): Promise<void> {
  const headers = { 'x-msk-min-sequence': String(await sequence()) };
  await expect
    .poll(async () => (await replica.http.send({ path: '/api/schema', token, headers })).status)
    .toBe(200);
}

async function sequence(): Promise<number> {
  const { headers } = await primary.http.send({ path: '/api/schema', token });
  return Number(headers.get('x-msk-sequence'));
}

test('a replica gives files whole and in parts, and finds them by their text', async () => {
  await upToDate();
  expect(Buffer.compare(await bytesAt(replica), await bytesAt(primary))).toBe(0);
  const range = { from: 1_000_000, to: 1_100_000 };
  expect(Buffer.compare(await bytesAt(replica, range), await bytesAt(primary, range))).toBe(0);
  const found = async () => {
    const { hits } = await clientOf(replica).system.search({ query: 'quokka' });
    return hits.length;
  };
  await expect.poll(found).toBe(1);
});

test('a replica takes no files, and says who does', async () => {
  const form = new FormData();
  form.set('file', new Blob(['x']), 'x.txt');
  const answer = await fetch(`${replica.address}/api/node/${NOTE}/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
    redirect: 'manual',
  });
  expect(answer.status).toBe(303);
});

test('tasks run on the primary alone; once a replica is promoted, they run there', async () => {
  await clientOf(primary).tasks.create({ name: 'ticks', cron: EVERY_SECOND, endpoint: 'tick' });
  const runsAt = async (node: ClusterNode) => (await clientOf(node).tasks.listRuns('ticks')).total;
  await expect.poll(() => runsAt(primary)).toBeGreaterThan(1);
  await upToDate();
  const tasks = await replica.http.send({
    path: '/api/admin/tasks/ticks/run',
    method: 'POST',
    token,
  });
  expect(tasks.status).toBe(303);
  // What a replica ran by itself would be a commit of its own, which it cannot make.
  expect(replica.process.log).not.toMatch(/"level":"(error|fatal)"/);
  await primary.process.kill();
  await replica.process.stop();
  await replica.startPrimary();
  const before = await runsAt(replica);
  expect(before).toBeGreaterThan(1);
  await expect.poll(() => runsAt(replica)).toBeGreaterThan(before + 1);
  expect((await bytesAt(replica)).length).toBe(
    content.length * Math.floor(FILE_BYTES / content.length),
  );
});
