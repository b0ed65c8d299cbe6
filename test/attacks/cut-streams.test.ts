import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Cluster, type ClusterNode } from '../cluster/cluster.ts';
import { valueAt, type HttpClient } from '../support/http-client.ts';
import { scale } from '../support/scale.ts';
import { untilIndexed } from '../support/search-index.ts';

const CUTS = scale({ sample: 20, soak: 100 });
/** One commit of a stream; the last of them is what the round is known by. */
const COMMIT_OPERATIONS = 10_000;
const LAND_MS = 1_000;
const TRIES_MAX = 10;
const SCHEMA = {
  nodes: [
    { type: 'Filler', key: 'Name', fields: { Round: 'Int' } },
    { type: 'Mark', key: 'Name', fields: { Round: 'Int', Word: 'String' } },
  ],
  edges: [],
};
const LAST_ROUND = `export default async function ({ q }: Scope) {
  const [mark] = await q().startAt('Mark').nodes();
  return mark?.Round ?? 0;
}`;

let cluster: Cluster;
let primary: ClusterNode;
let replica: ClusterNode;
let token: string;
/** Open since before the first cut. */
let live: Socket;

beforeAll(async () => {
  cluster = await Cluster.create();
  primary = await cluster.node('primary');
  await primary.startPrimary();
  token = await primary.http.signIn();
  await change('PUT', '/api/schema', SCHEMA);
  const fields = { Word: { text: { boost: 1 } } };
  await change('PUT', '/api/search/settings', { types: { Mark: { language: 'en', fields } } });
  const endpoint = { name: 'last-round', isReadOnly: true, code: LAST_ROUND };
  await change('POST', '/api/endpoints/create', endpoint);
  replica = await cluster.node('replica');
  await replica.startReplica(await cluster.link(primary));
  for (const { http } of [primary, replica]) await untilIndexed(http, token);
  live = connect(primary.httpPort, primary.host);
  await once(live, 'connect');
});
afterAll(async () => {
  live?.destroy();
  await cluster[Symbol.asyncDispose]();
});

async function change(method: string, path: string, body: unknown): Promise<void> {
  const answer = await primary.http.send({ method, path, token, body });
  expect(answer.status, answer.text).toBeLessThan(300);
}

/**
 * One whole commit and the beginning of another; the client is gone `afterMs` after it was sent.
 */
async function cutStream(round: number, afterMs: number): Promise<void> {
  const line = (operation: object): string => `${JSON.stringify(operation)}\n`;
  const filler = Array.from({ length: COMMIT_OPERATIONS - 1 }, (_, i) =>
    line({ op: 'addOrUpdate', type: 'Filler', key: `f${i}`, fields: { Round: round } }),
  );
  const fields = { Round: round, Word: wordOf(round) };
  const mark = line({ op: 'addOrUpdate', type: 'Mark', key: 'mark', fields });
  const lines = [...filler, mark, ...filler.slice(0, 10)].join('');
  const socket = connect(primary.httpPort, primary.host);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    'POST /api/ingest HTTP/1.1',
    `Host: ${primary.host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/x-ndjson',
    'Transfer-Encoding: chunked',
    '',
    '',
  ].join('\r\n');
  const bytes = Buffer.from(lines);
  const chunk = `${bytes.length.toString(16)}\r\n${lines}\r\n`;
  await new Promise<void>((resolve) => socket.write(head + chunk, () => resolve()));
  await sleep(afterMs);
  socket.destroy();
}

/** A word that no other round has. */
function wordOf(round: number): string {
  return [...String(round)].map((digit) => 'abcdefghij'[Number(digit)]).join('q') + 'mark';
}

async function roundByEndpoint(http: HttpClient): Promise<unknown> {
  return (await http.send({ path: '/api/endpoints/run/last-round', token, body: {} })).json;
}

async function roundByRead(http: HttpClient): Promise<unknown> {
  const { json } = await http.send({ path: '/api/node/query', token, body: { type: 'Mark' } });
  return valueAt(json, 'items', '0', 'Round');
}

async function isFound(http: HttpClient, round: number): Promise<boolean> {
  const body = { query: wordOf(round) };
  const { json } = await http.send({ path: '/api/cce/system/search', token, body });
  return valueAt(json, 'total') === 1;
}

async function sequence(http: HttpClient): Promise<number> {
  const { headers } = await http.send({ path: '/api/schema', token });
  return Number(headers.get('x-msk-sequence'));
}

/** By a connection that was open before the stream was. */
async function roundByLiveReader(): Promise<string> {
  const body = JSON.stringify({ type: 'Mark' });
  const lines = [
    'POST /api/node/query HTTP/1.1',
    `Host: ${primary.host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    body,
  ];
  live.write(lines.join('\r\n'));
  const [answer] = (await once(live, 'data')) as [Buffer];
  return /"Round":(\d+)/.exec(answer.toString())?.[1] ?? answer.toString();
}

/** Endpoints read what is in the state, whoever has been told of it. */
async function hasLanded(round: number): Promise<boolean> {
  const deadline = Date.now() + LAND_MS;
  while (Date.now() < deadline) {
    if ((await roundByEndpoint(primary.http)) === round) return true;
  }
  return false;
}

/**
 * Cuts streams until the commit of one has landed: of a client that leaves too early there is none.
 */
async function cutAfterCommit(round: number): Promise<void> {
  for (let attempt = 0; attempt < TRIES_MAX; attempt++) {
    await cutStream(round, 5 + 10 * ((round % 8) + attempt));
    if (await hasLanded(round)) return;
  }
  expect.fail(`no commit of round ${round} has landed`);
}

test(
  'what a stream has committed that its client cut is known to all who follow, without anybody else writing',
  async () => {
    const late: string[] = [];
    for (let round = 1; round <= CUTS; round++) {
      const before = await sequence(primary.http);
      await cutAfterCommit(round);
      const told = async (): Promise<object> => ({
        read: await roundByRead(primary.http),
        live: await roundByLiveReader(),
        found: await isFound(primary.http, round),
        sequence: (await sequence(primary.http)) >= before + COMMIT_OPERATIONS,
        replica: await roundByEndpoint(replica.http),
        foundByReplica: await isFound(replica.http, round),
        sameSequence: (await sequence(replica.http)) === (await sequence(primary.http)),
      });
      const all = { read: round, live: String(round), found: true, sequence: true };
      const ofReplica = { replica: round, foundByReplica: true, sameSequence: true };
      await expect
        .poll(told)
        .toEqual({ ...all, ...ofReplica })
        .catch((error: unknown) => late.push(`round ${round}: ${String(error)}`));
      if (late.length > 2) break;
    }
    expect(late).toEqual([]);
  },
  scale({ sample: 300_000, soak: 1_800_000 }),
);
