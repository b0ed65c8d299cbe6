import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await startWorkspace();
});
afterAll(async () => {
  // The compiler may be at work since the schema changed: it ends with the server, not with a kill.
  await workspace.server.stop();
  await workspace[Symbol.asyncDispose]();
});

function send(method: string, path: string, body?: unknown) {
  return workspace.http.send({ method, path, token: workspace.token, body });
}

async function create(name: string, body: string): Promise<void> {
  const code = `export default async function ({ body, notFound }: Scope<{ n: number }>) {
  void body; void notFound;\n  ${body}\n}\n`;
  const { status, json } = await send('POST', '/api/endpoints/create', { name, code });
  expect([status, Object(json).diagnostics]).toEqual([201, []]);
}

async function metricsOf(name: string): Promise<Record<string, unknown>> {
  const { json } = await send('GET', '/api/endpoints/metrics');
  return Object(json).items.find((item: Record<string, unknown>) => item['name'] === name);
}

test('calls of each endpoint are counted, with their errors and how long they took', async () => {
  await create('counted', "if (body.n > 7) throw new Error('too much'); return body.n;");
  expect(await metricsOf('counted')).toEqual({
    name: 'counted',
    calls: 0,
    errors: 0,
    errorRate: 0,
    averageMs: null,
    p50Ms: null,
    p95Ms: null,
    p99Ms: null,
    lastCalledAt: null,
    scans: [],
  });
  for (let n = 0; n < 10; n++) await send('POST', '/api/endpoints/run/counted', { n });
  const row = await metricsOf('counted');
  expect(row).toMatchObject({ calls: 10, errors: 2, errorRate: 0.2 });
  expect(row['lastCalledAt']).toMatch(/^\d{4}-.*Z$/);
  const { p50Ms, p95Ms, p99Ms, averageMs } = row;
  expect(Number(averageMs)).toBeGreaterThan(0);
  expect([p50Ms, p95Ms, p99Ms].map(Number)).toEqual(
    [p50Ms, p95Ms, p99Ms].map(Number).toSorted((a, b) => a - b),
  );
  // A changed endpoint goes on counting; a new one under its name begins at zero.
  await send('PUT', '/api/endpoints/counted', { description: 'Counted.' });
  expect(await metricsOf('counted')).toMatchObject({ calls: 10 });
  await send('DELETE', '/api/endpoints/counted');
  expect(await metricsOf('counted')).toBeUndefined();
  await create('counted', 'return 1;');
  expect(await metricsOf('counted')).toMatchObject({ calls: 0 });
});

test('what the code refuses, and what the caller gets wrong, is no error of the endpoint', async () => {
  await create('refuses', "return notFound('not here');");
  expect((await send('POST', '/api/endpoints/run/refuses', { n: 1 })).status).toBe(404);
  const malformed = { method: 'POST', path: '/api/endpoints/run/refuses', token: workspace.token };
  const headers = { 'content-type': 'application/json' };
  await workspace.http.send({ ...malformed, headers, body: '{' });
  expect(await metricsOf('refuses')).toMatchObject({ calls: 2, errors: 0 });
});

test('the tables count nodes, edges, and what the process holds, in aligned columns', async () => {
  await send('PUT', '/api/schema', LIBRARY_SCHEMA);
  const book = { type: 'Book', key: 'b' };
  const author = { type: 'Author', key: 'a' };
  await send('POST', '/api/ingest', {
    operations: [
      { op: 'addOrUpdate', ...book },
      { op: 'addOrUpdate', ...author },
      { op: 'link', from: book, edge: 'WrittenBy', to: author },
    ],
  });
  const database = await send('GET', '/api/graph/stats/database');
  expect(database.headers.get('content-type')).toContain('text/plain');
  for (const row of [/^Book +1$/m, /^Author +1$/m, /^WrittenBy +1$/m, /^Wrote +1$/m]) {
    expect(database.text).toMatch(row);
  }
  await send('POST', '/api/ingest', { operations: [{ op: 'delete', ...book }] });
  const after = await send('GET', '/api/graph/stats/database');
  for (const row of [/^Book +0$/m, /^WrittenBy +0$/m]) expect(after.text).toMatch(row);
  // Numbers stand to the right: in one table the lines with one end where the others do.
  const [, nodes = ''] = after.text.split('\n\n');
  expect(
    new Set(
      nodes
        .trim()
        .split('\n')
        .map(({ length }) => length),
    ).size,
  ).toBe(1);

  const pool = await send('GET', '/api/graph/stats/pool');
  expect(pool.headers.get('content-type')).toContain('text/plain');
  expect(pool.text).toMatch(/^POOL +COUNTER +VALUE$/m);
  expect(pool.text).toMatch(/^endpoint workers +ready +\d+$/m);
  expect(pool.text).toMatch(/^memory, bytes +rss +[\d,]+$/m);
});

test('the overview counts what the tables count', async () => {
  const { status, json } = await send('GET', '/api/graph/stats/overview');
  expect(status).toBe(200);
  const { types, edgeTypes, nodes, edges, sequence, samples, sampleIntervalMs } = Object(json);
  const table = await send('GET', '/api/graph/stats/database');
  expect(table.text).toContain(`Sequence ${sequence}\n`);
  for (const { type, nodes: count } of types) {
    expect(table.text).toMatch(new RegExp(`^${type} +${count.toLocaleString('en')}$`, 'm'));
  }
  const sum = (counts: number[]): number => counts.reduce((one, other) => one + other, 0);
  expect(sum(types.map((row: { nodes: number }) => row.nodes))).toBe(nodes);
  expect(sum(edgeTypes.map((row: { edges: number }) => row.edges))).toBe(edges);
  const counts = types.map((row: { nodes: number }) => row.nodes);
  expect(counts).toEqual(counts.toSorted((one: number, other: number) => other - one));
  expect(sampleIntervalMs).toBe(10_000);
  expect(Array.isArray(samples)).toBe(true);
});

test('without a license the server says so', async () => {
  const { status, json } = await send('GET', '/api/license');
  expect([status, json]).toEqual([200, { licensed: false, features: [], valid: false }]);
});
