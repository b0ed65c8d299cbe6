import type { CallTrace, TraceSpan } from '@trellis/contract/shapes/call-trace.ts';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { People } from '../support/people.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

let people: People;
beforeAll(async () => {
  people = await People.start({ MSK_ENDPOINT_TRACES: '0' });
  await people.add('ada');
  await send('PUT', '/api/schema', LIBRARY_SCHEMA);
  const [book] = LIBRARY_SCHEMA.nodes;
  const nodes = [{ ...book, indexes: [{ field: 'Title' }] }];
  expect(await send('PUT', '/api/schema', { nodes, edges: [] })).toMatchObject({ status: 200 });
  await endpoint('fill', FILL);
  await run('fill');
});
afterAll(() => people[Symbol.asyncDispose]());

const send = (method: string, path: string, body?: unknown) =>
  people.as('admin', method, path, body);
const run = (name: string, body: unknown = {}) => send('POST', `/api/endpoints/run/${name}`, body);

async function endpoint(name: string, code: string, isReadOnly = false): Promise<void> {
  const made = await send('POST', '/api/endpoints/create', { name, code, isReadOnly });
  expect(made).toMatchObject({ status: 201, json: { compiles: true } });
}

/** Runs code as a draft, which is always traced. */
async function traceOfDraft(code: string, body?: unknown): Promise<CallTrace> {
  const name = 'tried';
  const known = await send('GET', `/api/endpoints/${name}`);
  if (known.status === 404) await endpoint(name, 'export default () => 1;\n');
  const ran = await send('POST', '/api/build/run-draft', { name, code, body });
  expect(ran.status, ran.text).toBe(200);
  return newestTrace(name);
}

async function newestCall(name: string): Promise<{ readonly trace: string | null }> {
  const { json } = await send('GET', `/api/build/endpoint-calls/${name}`);
  return Object(json).items[0];
}

async function newestTrace(name: string): Promise<CallTrace> {
  const { trace } = await newestCall(name);
  const found = await send('GET', `/api/build/call-traces/${trace}`);
  expect(found.status, found.text).toBe(200);
  const told = found.json as CallTrace;
  expectTree(told);
  return told;
}

function expectTree({ spans }: CallTrace): void {
  const parents = new Map(spans.map(({ id, parent }) => [id, parent]));
  expect(parents.size).toBe(spans.length);
  for (const { id, parent } of spans) {
    expect(parent === null || parents.has(parent)).toBe(true);
    expect(parent === id).toBe(false);
  }
}

const spansOf = ({ spans }: CallTrace, kind: TraceSpan['kind']): TraceSpan[] =>
  spans.filter((span) => span.kind === kind);

const FILL = `export default async ({ graph }: Scope) => {
  for (let n = 0; n < 300; n++) await graph.addOrUpdate('Book', 'b' + n, { Title: 't' + (n % 3) });
};
`;

test('a trace tells queries with their rows, reads together, log lines and the time of each', async () => {
  const schema = async () => (await send('GET', '/api/schema')).text;
  await expect.poll(schema, { timeout: 20_000 }).toMatch(/"field":"Title"[^}]*"state":"ready"/);
  const trace = await traceOfDraft(
    `export default async ({ q, graph, log }: Scope<{ secret: string }>) => {
  const few = await q().startWhere('Book', 'Title', '=', 't1').nodes();
  for (const book of few) await graph.get(book.UID);
  log.info('found', { few: few.length });
  return await q().startAt('Book').where('Title', '!=', 'hidden-value').count();
};
`,
    { secret: 'hunter2' },
  );
  expect(trace).toMatchObject({
    endpoint: 'tried',
    version: null,
    kind: 'draft',
    reason: 'draft',
    status: 200,
    attempts: 1,
    user: { name: 'admin' },
    input: '{"secret":"hunter2"}',
    counted: [],
  });
  expect(trace.cpuMs).toBeGreaterThan(0);
  expect(trace.heapBytes).toBeGreaterThan(1_000_000);
  const [attempt] = spansOf(trace, 'attempt');
  const [looked, counted] = spansOf(trace, 'query');
  expect(looked).toMatchObject({
    parent: attempt?.id,
    name: 'startWhere(Book.Title) nodes',
    error: null,
    facts: { access: 'index', index: 'Title', rowsRead: 100, rowsGiven: 100 },
  });
  expect(counted).toMatchObject({
    name: 'startAt(Book) where(Title) count',
    facts: { access: 'scan' },
  });
  expect(counted?.facts.rowsRead).toBeGreaterThanOrEqual(300);
  expect(spansOf(trace, 'reads')).toMatchObject([
    { name: 'get', parent: attempt?.id, facts: { count: 100 } },
  ]);
  expect(spansOf(trace, 'log')).toMatchObject([{ name: 'found', facts: { level: 'info' } }]);
  for (const { startMs, ms } of trace.spans) expect(startMs + ms).toBeLessThanOrEqual(trace.ms + 1);
  expect(JSON.stringify(trace.spans)).not.toContain('hidden-value');
});

test('ten thousand reads are one span, and a thousand queries at most 200', async () => {
  const trace = await traceOfDraft(`export default async ({ q, graph }: Scope) => {
  for (let n = 0; n < 10000; n++) await graph.tryGet('Book', 'b' + (n % 300));
  for (let n = 0; n < 1000; n++) await q().startAt('Book', 'b1').uids();
};
`);
  expect(trace.spans.length).toBeLessThanOrEqual(200);
  expect(spansOf(trace, 'reads')).toContainEqual(
    expect.objectContaining({ name: 'tryGet', facts: expect.objectContaining({ count: 10_000 }) }),
  );
  const queries = spansOf(trace, 'query').length;
  const rest = trace.counted.reduce((sum, { count }) => sum + count, 0);
  const together = spansOf(trace, 'reads').find(({ name }) => name === 'query')?.facts.count ?? 0;
  expect(queries + rest + together).toBe(1_000);
});

test('what the endpoints do that a call runs, and its commit, are in its trace', async () => {
  await endpoint('inner', `export default ({ q }: Scope) => q().startAt('Book').count();\n`, true);
  await endpoint(
    'outer',
    `export default async ({ run, graph }: Scope) => {
  await graph.addOrUpdate('Book', 'new', { Title: 'new' });
  await run('inner');
  throw new Error('on purpose');
};
`,
  );
  expect((await run('outer', { a: 1 })).status).toBe(500);
  const trace = await newestTrace('outer');
  expect(trace).toMatchObject({
    reason: 'error',
    status: 500,
    code: 'endpoint_failed',
    version: 1,
  });
  const [nested] = spansOf(trace, 'run');
  expect(nested).toMatchObject({ name: 'inner', error: null });
  expect(spansOf(trace, 'attempt').map(({ parent }) => parent)).toEqual([null, nested?.id]);
  expect(await newestCall('inner')).toMatchObject({ kind: 'nested', trace: trace.id });
  expect(spansOf(trace, 'log')).toMatchObject([{ facts: { level: 'error' } }]);
  expect(trace.counted).toEqual([{ name: 'write', count: 1 }]);
});

test('calls that are not sampled have no trace unless they fail', async () => {
  await endpoint(
    'quiet',
    `export default ({ body, notFound }: Scope<{ bad?: string }>) => {
  if (body.bad === 'mine') throw new Error('mine');
  return body.bad === 'yours' ? notFound('yours') : 1;
};
`,
    true,
  );
  expect((await run('quiet', {})).status).toBe(200);
  expect(await newestCall('quiet')).toMatchObject({ trace: null });
  expect((await run('quiet', { bad: 'yours' })).status).toBe(404);
  expect(await newestCall('quiet')).toMatchObject({ trace: null });
  expect((await run('quiet', { bad: 'mine' })).status).toBe(500);
  expect(await newestTrace('quiet')).toMatchObject({ reason: 'error', input: '{"bad":"mine"}' });
});

test('a call that is run again tells each attempt, what was in conflict, and its turn', async () => {
  await endpoint(
    'heat',
    `export default ({ graph }: Scope) => graph.addOrUpdate('Book', 'hot', { Title: '0' });\n`,
  );
  await run('heat');
  await endpoint(
    'count-up',
    `export default async ({ graph, run }: Scope) => {
  const book = await graph.get('Book', 'hot');
  await run('inner');
  await graph.addOrUpdate('Book', 'hot', { Title: String(Number(book.Title) + 1) });
};
`,
  );
  const answers = await Promise.all(Array.from({ length: 12 }, () => run('count-up')));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200));
  const { json } = await send('GET', '/api/build/endpoint-calls/count-up');
  const items = Object(json).items as readonly { readonly trace: string | null }[];
  const kept = items.find((call) => call.trace !== null);
  const { json: found } = await send('GET', `/api/build/call-traces/${kept?.trace}`);
  const trace = found as CallTrace;
  expect(trace.reason).toBe('conflict');
  expect(trace.attempts).toBeGreaterThan(1);
  const attempts = trace.spans.filter(({ kind, parent }) => kind === 'attempt' && parent === null);
  expect(attempts).toHaveLength(trace.attempts);
  expect(attempts[0]).toMatchObject({
    error: 'write_conflict',
    facts: { conflict: expect.stringMatching(/^node Book \w/) },
  });
  expect(spansOf(trace, 'turn')).toHaveLength(trace.attempts - 1);
  const commits = spansOf(trace, 'commit');
  expect(commits.at(-1)).toMatchObject({
    error: null,
    facts: { operations: expect.any(Number), sequence: expect.any(Number) },
  });
});

test('a request to another server is told by its host, status and size alone', async () => {
  const server = createServer((_request, response) => void response.end('x'.repeat(50)));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const fetchAllowList = [`http://127.0.0.1:${port}`];
    await send('PUT', '/api/workspace/settings', { fetchAllowList });
    const trace = await traceOfDraft(`export default async ({ fetch }: Scope) => {
  await fetch('http://127.0.0.1:${port}/secret-path?key=hunter2', { headers: { 'x-key': 'k3y' } });
  await fetch('http://127.0.0.1:1/none').catch(() => {});
};
`);
    expect(spansOf(trace, 'fetch')).toMatchObject([
      { name: `127.0.0.1:${port}`, error: null, facts: { method: 'GET', status: 200, bytes: 50 } },
      { name: '127.0.0.1:1', error: 'forbidden' },
    ]);
    expect(JSON.stringify(trace)).not.toMatch(/secret-path|hunter2|k3y/);
  } finally {
    server.close();
  }
});

test('traces are for administrators', async () => {
  await run('quiet', { bad: 'mine' });
  const { trace } = await newestCall('quiet');
  const asAda = await people.as('ada', 'GET', `/api/build/call-traces/${trace}`);
  expect(asAda.status).toBe(403);
  expect(await send('GET', '/api/build/call-traces/none')).toMatchObject({
    status: 404,
    json: { error: { code: 'trace_not_found' } },
  });
});

test('a call that is killed in a loop is told with what it has read', async () => {
  const code = `export default async ({ q, graph }: Scope) => {
  await q().startWhere('Book', 'Title', '=', 't1').count();
  for (const key of ['b1', 'b2', 'b3', 'b4']) await graph.tryGet('Book', key);
  await q().startWhere('Book', 'Title', '=', 't2').count();
  for (;;);
};
`;
  let trace: CallTrace | undefined;
  // On a busy machine the first one may be over before it loops.
  for (let timeoutMs = 1_000; !hasTwoQueries(trace) && timeoutMs < 100_000; timeoutMs *= 2) {
    const name = `loops-${timeoutMs}`;
    const made = await send('POST', '/api/endpoints/create', { name, code, timeoutMs });
    expect(made).toMatchObject({ status: 201, json: { compiles: true } });
    expect((await run(name)).status).toBe(504);
    trace = await newestTrace(name);
    expect(trace).toMatchObject({ reason: 'error', code: 'endpoint_timeout' });
  }
  const facts = { rowsGiven: 1 };
  const name = 'startWhere(Book.Title) count';
  expect(trace && spansOf(trace, 'query')).toMatchObject([
    { name, facts },
    { name, facts },
  ]);
  // It is timed where the worker came to tell of it before.
  const timed = trace && spansOf(trace, 'reads').find((span) => span.name === 'tryGet');
  const counted = trace?.counted.find((one) => one.name === 'tryGet');
  expect(timed?.facts.count ?? counted?.count).toBe(4);
});

function hasTwoQueries(trace: CallTrace | undefined): boolean {
  return trace !== undefined && spansOf(trace, 'query').length === 2;
}

test('a call that is killed, as it waits, is told with what it has read', async () => {
  const code = `export default async ({ q, search }: Scope) => {
  await q().startWhere('Book', 'Title', '=', 't1').count();
  await search({ query: 't1', take: 1 });
  await new Promise(() => {});
};
`;
  let queries: string[] = [];
  // On a busy machine the first one may be over before its worker came to tell anything.
  for (let timeoutMs = 4_000; queries.length === 0 && timeoutMs < 100_000; timeoutMs *= 2) {
    const name = `waits-${timeoutMs}-${process.hrtime.bigint()}`;
    const made = await send('POST', '/api/endpoints/create', { name, code, timeoutMs });
    expect(made).toMatchObject({ status: 201, json: { compiles: true } });
    expect((await run(name)).status).toBe(504);
    const trace = await newestTrace(name);
    expect(trace).toMatchObject({ reason: 'error', code: 'endpoint_timeout' });
    queries = spansOf(trace, 'query').map((query) => query.name);
  }
  expect(queries).toEqual(['startWhere(Book.Title) count']);
});
