import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { valueAt } from '../support/http-client.ts';
import { expectVerified } from '../support/indexed-books.ts';
import { Cluster, type ClusterNode } from './cluster.ts';
import type { Link } from './link.ts';
import { sequenceOf } from './workload.ts';

const NODES = 20_000;
const COMMIT = 5_000;
const INDEXES = [
  { field: 'Year' },
  { field: 'Isbn', unique: true },
  { field: 'Tags' },
  { fields: ['Year', 'Title'] },
];
const FIELDS = { Year: 'Int', Title: 'String', Isbn: 'String', Tags: 'String[]' };
const EXPLAIN = `export default async function ({ q }: Scope) {
  const explained = await Promise.all([
    q().startWhere('Book', 'Year', '=', 1903).explain(),
    q().startWhere('Book', 'Isbn', 'in', ['isbn 17', 'isbn 18']).explain(),
    q().startWhere('Book', 'Tags', '=', 'tag 3').explain(),
    q().startWhere('Book', 'Year', '=', 1950).where('Title', '=', 'Title 151').explain(),
  ]);
  return explained.map(({ steps }) => [steps[0]?.access, steps[0]?.index, steps.at(-1)?.rowsOut]);
}`;
const ANSWER = `export default async function ({ q }: Scope) {
  return [
    await q().startWhere('Book', 'Year', '=', 1903).uids(),
    await q().startWhere('Book', 'Year', '>', 1990).where('Title', '<', 'Title 3').count(),
    await q().startWhere('Book', 'Tags', '=', 'tag 3').take(50).uids(),
    await q().startAt('Book').sortBy('Year', 'desc').take(40).uids(),
    await q().startAt('Book').groupBy('Year'),
  ];
}`;

let cluster: Cluster;
let primary: ClusterNode;
let link: Link;
let token: string;
let expected: unknown;

beforeAll(async () => {
  cluster = await Cluster.create();
  primary = await cluster.node('primary');
  link = await cluster.link(primary);
  await primary.startPrimary();
  token = await primary.http.signIn();
  await send('PUT', '/api/schema', {
    nodes: [{ type: 'Book', key: 'Id', fields: FIELDS }],
    edges: [],
  });
  for (let first = 0; first < NODES; first += COMMIT) {
    const operations = Array.from({ length: COMMIT }, (_, i) => bookOf(first + i));
    await send('POST', '/api/ingest', { operations });
  }
  for (const [name, code] of Object.entries({ explain: EXPLAIN, answer: ANSWER })) {
    await send('POST', '/api/endpoints/create', { name, isReadOnly: true, code });
  }
  expected = await run(primary, 'answer');
});
afterAll(() => cluster[Symbol.asyncDispose]());

function bookOf(i: number): object {
  const year = i % 10 === 0 ? {} : { Year: 1900 + (i % 101) };
  const fields = { ...year, Title: `Title ${i}`, Isbn: `isbn ${i}`, Tags: [`tag ${i % 7}`, 'all'] };
  return { op: 'addOrUpdate', type: 'Book', key: `b${i}`, fields };
}

/** Answers the sequence of the change. */
async function send(method: string, path: string, body: unknown): Promise<number> {
  const answer = await primary.http.send({ method, path, token, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return sequenceOf(answer);
}

/** On a node that has all that the primary had at a sequence. */
async function run({ http }: ClusterNode, name: string, sequence = 0): Promise<unknown> {
  const headers = { 'x-msk-min-sequence': String(sequence) };
  const path = `/api/endpoints/run/${name}`;
  const answer = await http.send({ method: 'POST', path, token, headers, body: {} });
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

async function indexes({ http }: ClusterNode): Promise<readonly object[]> {
  const { json } = await http.send({ path: '/api/schema', token });
  const types = valueAt(json, 'nodes') as { type: string; indexes?: object[] }[];
  return types.find(({ type }) => type === 'Book')?.indexes ?? [];
}

const putIndexes = () =>
  send('PUT', '/api/schema', {
    nodes: [{ type: 'Book', fields: {}, indexes: INDEXES }],
    edges: [],
  });

async function untilReady(node: ClusterNode): Promise<void> {
  const ready = INDEXES.map((index) => expect.objectContaining({ ...index, state: 'ready' }));
  await expect.poll(() => indexes(node)).toEqual(ready);
}

async function removeIndexes(): Promise<void> {
  for (const { field, fields = [field] } of INDEXES) {
    await send('DELETE', '/api/schema/indexes', { type: 'Book', fields });
  }
}

async function expectEqualToPrimary(replicas: number): Promise<void> {
  const command = ['replica', 'verify', '--json'];
  const options = { home: cluster.folder, server: primary.address, token };
  const { code, stdout, stderr } = await runTrellis(command, options);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(JSON.parse(stdout)).toMatchObject({
    isEqual: true,
    replicas: Array.from({ length: replicas }, () => ({ state: 'equal' })),
  });
}

const EXPLAINED = [
  ['index', 'Year', 178],
  ['index', 'Isbn', 2],
  ['index', 'Tags', 2_857],
  ['index', 'Year, Title', 1],
];

test('a replica answers by the indexes of the primary, whenever it joins while they are built', async () => {
  const [early, late] = [await cluster.node('early'), await cluster.node('late')];
  await early.startReplica(link);
  const joins = late.startReplica(link);
  const copy = { hasJoined: false };
  void joins.then(() => (copy.hasJoined = true));
  let builds = 0;
  while (!copy.hasJoined || builds < 3) {
    await putIndexes();
    builds++;
    // What there is of them on the way changes no answer.
    expect(await run(early, 'answer')).toEqual(expected);
    await untilReady(primary);
    expect(await run(primary, 'answer')).toEqual(expected);
    await removeIndexes();
  }
  await joins;
  await putIndexes();
  await untilReady(primary);
  const sequence = await send('POST', '/api/ingest', { operations: [bookOf(NODES - 1)] });
  for (const node of [primary, early, late]) {
    expect(await run(node, 'explain', sequence)).toEqual(EXPLAINED);
    expect(await run(node, 'answer', sequence)).toEqual(expected);
    expect(await indexes(node)).toEqual(await indexes(primary));
  }
  await expectEqualToPrimary(2);
});

test('a replica that is promoted in the middle of a build ends it, and takes no value twice', async () => {
  const replica = await cluster.node('promoted');
  await replica.startReplica(link);
  for (;;) {
    await removeIndexes();
    await expect.poll(() => indexes(replica)).toEqual([]);
    await putIndexes();
    if (await untilHalfBuilt(replica)) break;
    await untilReady(replica);
  }
  await replica.process.kill();
  await primary.process.kill();
  await replica.startPrimary();
  await untilReady(replica);
  expect(await indexes(replica)).toMatchObject([
    {},
    { entries: NODES },
    { entries: NODES * 2 },
    {},
  ]);
  expect(await run(replica, 'answer')).toEqual(expected);
  expect(await run(replica, 'explain')).toEqual(EXPLAINED);
  const copy = { op: 'addOrUpdate', type: 'Book', key: 'copy', fields: { Isbn: 'isbn 0' } };
  const body = { operations: [copy] };
  const refused = await replica.http.send({ path: '/api/ingest', token, body });
  expect(valueAt(refused.json, 'error', 'code')).toBe('not_unique');
  await replica.process.stop();
  await expectVerified(replica.storage);
});

/** Whether an index was seen that had some of its entries, and not all. */
async function untilHalfBuilt(node: ClusterNode): Promise<boolean> {
  for (;;) {
    const known = (await indexes(node)) as readonly { state: string; entries: number }[];
    if (known.some(({ state, entries }) => state === 'building' && entries > 0)) return true;
    if (known.length > 0 && known.every(({ state }) => state === 'ready')) return false;
    await setImmediate();
  }
}
