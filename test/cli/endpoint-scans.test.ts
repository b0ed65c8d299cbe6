import { afterAll, beforeAll, expect, test } from 'vitest';
import { People } from '../support/people.ts';
import { type Outcome, runTrellis } from '../support/command-line.ts';

/** One more than a query may read without a word. */
const NODES = 100_001;
const AT_ONCE = 10_000;

let people: People;
const admin = (method: string, path: string, body?: unknown) =>
  people.as('admin', method, path, body);

beforeAll(async () => {
  people = await People.start();
  const type = { type: 'Row', key: 'Id', fields: { Id: 'String', N: 'Int' } };
  await admin('PUT', '/api/schema', { nodes: [type], edges: [] });
  for (let first = 0; first < NODES; first += AT_ONCE) {
    const count = Math.min(AT_ONCE, NODES - first);
    const operations = Array.from({ length: count }, (_, i) => ({
      op: 'addOrUpdate',
      type: 'Row',
      key: String(first + i),
      fields: { N: first + i },
    }));
    expect((await admin('POST', '/api/ingest', { operations })).status).toBe(200);
  }
  const code = `export default async ({ q }: Scope) =>
    q().startWhere('Row', 'N', '=', 7).uids();`;
  expect((await admin('POST', '/api/endpoints/create', { name: 'seeker', code })).status).toBe(201);
});

afterAll(() => people[Symbol.asyncDispose]());

function terminal(...args: string[]): Promise<Outcome> {
  const { storage, server, token } = people.workspace;
  return runTrellis(args, { home: storage, server: server.url, token });
}

async function scans(): Promise<unknown> {
  const { json } = await admin('GET', '/api/endpoints/metrics');
  const { items } = json as { items: { name: string; scans: unknown }[] };
  return items.find(({ name }) => name === 'seeker')?.scans;
}

test('a query that reads much is told of, with the index that spares it', async () => {
  expect(await scans()).toEqual([]);
  for (let i = 0; i < 2; i++) await admin('POST', '/api/endpoints/run/seeker', {});
  const rowsRead = 2 * NODES;
  await expect
    .poll(scans)
    .toEqual([{ type: 'Row', field: 'N', rowsRead: expect.any(Number), calls: 2 }]);
  const [scan] = (await scans()) as { rowsRead: number }[];
  expect(scan?.rowsRead).toBe(rowsRead);

  const doctor = await terminal('doctor', '--no-local', '--json');
  expect(doctor.stdout).toContain('trellis schema index add Row N');

  const added = await terminal('schema', 'index', 'add', 'Row', 'N', '--wait');
  expect(added).toMatchObject({ code: 0 });
  await admin('POST', '/api/endpoints/run/seeker', {});
  expect(await scans()).toMatchObject([{ calls: 2 }]);
});
