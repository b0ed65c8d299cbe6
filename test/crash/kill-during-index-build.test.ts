import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HttpClient, valueAt } from '../support/http-client.ts';
import { expectVerified } from '../support/indexed-books.ts';
import { scale } from '../support/scale.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { expectStateEqualsLog } from './rebuild-from-log.ts';

const TIMEOUT_MS = 600_000;
const NODES = 20_000;
const COMMIT = 5_000;
/** Builds that are met by a kill. */
const KILLS = scale({ sample: 2, soak: 20 });

const INDEXES = [
  { field: 'Year' },
  { field: 'Isbn', unique: true },
  { field: 'Tags' },
  { fields: ['Year', 'Title'] },
];
const ENTRIES = [NODES - NODES / 10, NODES, NODES * 2, NODES - NODES / 10];
const PROBE = `export default async function ({ q }: Scope) {
  return [
    await q().startWhere('Book', 'Year', '=', 1903).count(),
    await q().startWhere('Book', 'Year', '>', 1997).where('Title', '<', 'Title 2').uids(),
    await q().startWhere('Book', 'Isbn', '=', 'isbn 17').uids(),
    await q().startWhere('Book', 'Tags', '=', 'tag 3').take(50).uids(),
    await q().startAt('Book').sortBy('Year', 'desc').take(40).uids(),
    await q().startAt('Book').groupBy('Year'),
  ];
}`;

interface Client {
  readonly http: HttpClient;
  readonly token: string;
}

async function send({ http, token }: Client, method: string, path: string, body?: unknown) {
  const answer = await http.send({ method, path, token, body });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json;
}

async function signIn({ url }: TrellisProcess): Promise<Client> {
  const http = new HttpClient(url);
  return { http, token: await http.signIn() };
}

async function addBooks(client: Client): Promise<void> {
  const fields = { Year: 'Int', Title: 'String', Isbn: 'String', Tags: 'String[]' };
  const nodes = [{ type: 'Book', key: 'Id', fields }];
  await send(client, 'PUT', '/api/schema', { nodes, edges: [] });
  for (let first = 0; first < NODES; first += COMMIT) {
    const operations = Array.from({ length: COMMIT }, (_, i) => bookOf(first + i));
    await send(client, 'POST', '/api/ingest', { operations });
  }
  const endpoint = { name: 'probe', isReadOnly: true, code: PROBE };
  await send(client, 'POST', '/api/endpoints/create', endpoint);
}

function bookOf(i: number): object {
  const year = i % 10 === 0 ? {} : { Year: 1900 + (i % 101) };
  const fields = { ...year, Title: `Title ${i}`, Isbn: `isbn ${i}`, Tags: [`tag ${i % 7}`, 'all'] };
  return { op: 'addOrUpdate', type: 'Book', key: `b${i}`, fields };
}

interface IndexState {
  readonly state: string;
  readonly entries: number;
}

async function indexes(client: Client): Promise<readonly IndexState[]> {
  const schema = await send(client, 'GET', '/api/schema');
  const types = valueAt(schema, 'nodes') as { type: string; indexes?: IndexState[] }[];
  return types.find(({ type }) => type === 'Book')?.indexes ?? [];
}

const putIndexes = (client: Client) =>
  send(client, 'PUT', '/api/schema', {
    nodes: [{ type: 'Book', fields: {}, indexes: INDEXES }],
    edges: [],
  });

async function removeIndexes(client: Client): Promise<void> {
  for (const { field, fields = [field] } of INDEXES) {
    await send(client, 'DELETE', '/api/schema/indexes', { type: 'Book', fields });
  }
}

/** Whether an index was seen that had some of its entries, and not all. */
async function untilHalfBuilt(client: Client): Promise<boolean> {
  for (;;) {
    const known = await indexes(client);
    if (known.some(({ state, entries }) => state === 'building' && entries > 0)) return true;
    if (known.every(({ state }) => state === 'ready')) return false;
    await setImmediate();
  }
}

test(
  'after kill -9 in the middle of their build, indexes get ready and hold every node',
  async () => {
    await using folder = await temporaryFolder();
    let server = await TrellisProcess.start({ storage: folder.path });
    let client = await signIn(server);
    await addBooks(client);
    const expected = await send(client, 'POST', '/api/endpoints/run/probe', {});
    let kills = 0;
    while (kills < KILLS) {
      await putIndexes(client);
      const isHalfBuilt = await untilHalfBuilt(client);
      await server.kill();
      server = await TrellisProcess.start({ storage: folder.path });
      client = await signIn(server);
      if (isHalfBuilt) kills++;
      // Also while they are built.
      expect(await send(client, 'POST', '/api/endpoints/run/probe', {})).toEqual(expected);
      await expect
        .poll(async () => (await indexes(client)).map(({ state }) => state))
        .toEqual(INDEXES.map(() => 'ready'));
      expect((await indexes(client)).map(({ entries }) => entries)).toEqual(ENTRIES);
      expect(await send(client, 'POST', '/api/endpoints/run/probe', {})).toEqual(expected);
      const copy = { op: 'addOrUpdate', type: 'Book', key: 'copy', fields: { Isbn: 'isbn 19999' } };
      const { http, token } = client;
      const refused = await http.send({ path: '/api/ingest', token, body: { operations: [copy] } });
      expect(valueAt(refused.json, 'error', 'code')).toBe('not_unique');
      if (kills < KILLS) await removeIndexes(client);
    }
    expect(await server.stop()).toBe(0);
    await expectVerified(folder.path);
    await expectStateEqualsLog(folder.path);
  },
  TIMEOUT_MS,
);
