import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field } from '../support/http-client.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await startWorkspace();
  await send('PUT', '/api/schema', LIBRARY_SCHEMA);
  await send('POST', '/api/ingest', {
    operations: [
      { op: 'addOrUpdate', type: 'Book', key: 'b1', fields: { Title: 'Dune', Pages: 412 } },
      { op: 'addOrUpdate', type: 'Book', key: 'b2', fields: { Title: 'Emma', Pages: 474 } },
      { op: 'addOrUpdate', type: 'Author', key: 'Frank Herbert' },
      {
        op: 'link',
        from: { type: 'Book', key: 'b1' },
        edge: 'WrittenBy',
        to: { type: 'Author', key: 'Frank Herbert' },
      },
    ],
  });
});
afterAll(() => workspace[Symbol.asyncDispose]());

function send(method: string, path: string, body?: unknown) {
  return workspace.http.send({ method, path, token: workspace.token, body });
}

function create(name: string, code: string, more: Record<string, unknown> = {}) {
  return send('POST', '/api/endpoints/create', { name, code, ...more });
}

function run(name: string, body?: unknown) {
  return send('POST', `/api/endpoints/run/${name}`, body);
}

const endpoint = (parameters: string, body: string) =>
  `export default async function (${parameters}) {\n  ${body}\n}\n`;

test('remarks of code that writes refuse nothing', async () => {
  const code = endpoint(
    '{ graph, q }: Scope',
    "graph.tryAdd('Book', 'b');\nreturn q().startAt('Book').count();",
  );
  const checked = await send('POST', '/api/endpoints/check', { code });
  expect(checked.json).toEqual({
    diagnostics: [],
    remarks: [
      expect.objectContaining({
        line: 2,
        severity: 'warning',
        message: expect.stringContaining('awaited'),
      }),
      expect.objectContaining({
        line: 3,
        severity: 'warning',
        message: expect.stringContaining('line 2'),
      }),
    ],
  });
  const created = await create('remarked', code);
  expect(created).toMatchObject({ status: 201, json: { compiles: true, diagnostics: [] } });
});

test('an endpoint is created, listed, read, changed, run and deleted', async () => {
  const created = await create(
    'library/titles',
    endpoint('{ q }: Scope', "return q().startAt('Book').nodes();"),
    {
      description: 'All books.',
    },
  );
  expect(created.status).toBe(201);
  expect(created.json).toMatchObject({
    UID: expect.stringMatching(/^\w{22}$/),
    name: 'library/titles',
    isReadOnly: false,
    mode: 'sync',
    access: 'users',
    cacheSeconds: 0,
    runAsAdmin: false,
    timeoutMs: 30_000,
    description: 'All books.',
    version: 1,
    compiles: true,
    diagnostics: [],
    mayRunOnPrimary: false,
  });
  const answer = await run('library/titles');
  expect(answer.headers.get('content-type')).toContain('application/json');
  expect(answer.json).toHaveLength(2);
  expect(answer.json).toContainEqual(
    expect.objectContaining({ Type: 'Book', Id: 'b1', Title: 'Dune' }),
  );

  const changed = await send('PUT', '/api/endpoints/library/titles', {
    code: endpoint('{ q }: Scope', "return q().startAt('Book').count();"),
  });
  expect(changed.json).toMatchObject({ version: 2, compiles: true, description: 'All books.' });
  expect((await run('library/titles')).json).toBe(2);
  expect((await send('POST', '/api/cce/library/titles')).json).toBe(2);

  expect((await create('library/titles', 'x')).status).toBe(409);
  const list = await send('GET', '/api/endpoints?take=1000');
  expect(list.json).toMatchObject({
    skip: 0,
    take: 1000,
    items: expect.arrayContaining([expect.objectContaining({ name: 'library/titles' })]),
  });
  expect((await send('DELETE', '/api/endpoints/library/titles')).status).toBe(204);
  expect((await run('library/titles')).status).toBe(404);
  expect((await send('GET', '/api/endpoints/library/titles')).status).toBe(404);
});

describe('what does not compile', () => {
  test.each([
    [
      'an unknown field',
      endpoint('{ graph }: Scope', "return (await graph.get('Book', 'b1')).Titel;"),
      2,
      /Titel.*Title/s,
    ],
    ['an unknown type', endpoint('{ q }: Scope', "return q().startAt('Bok').nodes();"), 2, /Bok/],
    [
      'an unknown edge',
      endpoint('{ q }: Scope', "return q().startAt('Book').out('Author', 'WritenBy').nodes();"),
      2,
      /WritenBy/,
    ],
    ['a syntax error', 'export default async function ({ q }: Scope) {\n  return ][;\n}', 2, /./],
    ['no default export', 'const a = 1;\n', 1, /default/],
    [
      'an import',
      "import fs from 'node:fs';\nexport default async function () { return fs; }",
      1,
      /import/i,
    ],
    ['a dynamic import', endpoint('', "return import('node:fs');"), 2, /import/i],
    ['process', endpoint('', 'return process.env;'), 2, /process/],
  ])('%s: a diagnostic with line, column and a sentence', async (_case, code, line, message) => {
    const checked = await send('POST', '/api/endpoints/check', { code });
    expect(checked.status).toBe(200);
    expect(Object(checked.json).diagnostics[0]).toMatchObject({
      line,
      column: expect.any(Number),
      message: expect.stringMatching(message),
    });
    const name = `draft-${_case.replaceAll(' ', '-')}`;
    const created = await create(name, code);
    expect(created.status).toBe(201);
    expect(created.json).toMatchObject({ compiles: false });
    expect(Object(created.json).diagnostics[0]).toMatchObject({ line });
    const answer = await run(name);
    expect([answer.status, field(answer.json, 'error', 'code')]).toEqual([
      422,
      'endpoint_not_compiled',
    ]);
  });

  test('an earlier version that compiled goes on serving', async () => {
    await create('steady', endpoint('', 'return 1;'));
    const draft = await send('PUT', '/api/endpoints/steady', { code: endpoint('', 'return ][;') });
    expect(draft.json).toMatchObject({ compiles: false, version: 2 });
    expect((await run('steady')).json).toBe(1);
    await send('PUT', '/api/endpoints/steady', { code: endpoint('', 'return 2;') });
    expect((await run('steady')).json).toBe(2);
  });
});

describe('read-only', () => {
  const writes = endpoint(
    '{ graph }: Scope',
    "await graph.addOrUpdate('Book', 'w', { Title: 'x' });\n  return 1;",
  );

  test('code that writes is refused with a diagnostic, and nothing is stored', async () => {
    const refused = await create('writes', writes, { isReadOnly: true });
    expect([refused.status, field(refused.json, 'error', 'code')]).toEqual([422, 'not_read_only']);
    expect(refused.json).toMatchObject({
      error: {
        details: { diagnostics: [{ line: 2, message: expect.stringMatching(/read.only/i) }] },
      },
    });
    expect((await send('GET', '/api/endpoints/writes')).status).toBe(404);
  });

  test('the toggle stays off', async () => {
    await create('writes', writes);
    const refused = await send('PUT', '/api/endpoints/writes', { isReadOnly: true });
    expect([refused.status, field(refused.json, 'error', 'code')]).toEqual([422, 'not_read_only']);
    expect((await send('GET', '/api/endpoints/writes')).json).toMatchObject({
      isReadOnly: false,
      version: 1,
    });
  });

  test('a write that slips past the compiler is absent at run time', async () => {
    const sneaky = endpoint(
      '{ graph }: Scope',
      "const write = JSON.parse('null') ?? Object.getOwnPropertyDescriptor(graph, 'addOrUpdate')?.value;\n  if (write) await write('Book', 'sneaked', {});\n  return Object.keys(graph).sort();",
    );
    const created = await create('sneaky', sneaky, { isReadOnly: true });
    expect(created.status).toBe(201);
    expect((await run('sneaky')).json).toEqual(
      expect.not.arrayContaining(['addOrUpdate', 'link', 'delete']),
    );
    await create('look', endpoint('{ graph }: Scope', "return graph.tryGet('Book', 'sneaked');"));
    expect((await run('look')).json).toBeNull();
  });
});

test('writes are read back in the same call, and a transaction is all or nothing', async () => {
  await create(
    'write-and-read',
    endpoint(
      '{ graph, q }: Scope<{ key: string }>',
      `await graph.addOrUpdate('Book', 'own', { Title: 'Own', Pages: 1 });
  const before = await graph.get('Book', 'own');
  await graph.link({ type: 'Book', key: 'own' }, 'WrittenBy', { type: 'Author', key: 'Frank Herbert' });
  const inQueries = await q().startAt('Book', 'own').count();
  await graph.commit();
  const authors = await q().startAt('Book', 'own').out('Author', 'WrittenBy').count();
  let refused = '';
  try {
    await graph.transaction((tx) => {
      tx.update('Book', 'own', { Pages: 2 });
      tx.update('Book', 'does not exist', { Pages: 2 });
    });
  } catch (error) {
    refused = error instanceof Error ? error.message : String(error);
  }
  return { title: before.Title, inQueries, authors, refused, pages: (await graph.get('Book', 'own')).Pages };`,
    ),
  );
  const answer = await run('write-and-read', { key: 'x' });
  expect(answer.json).toMatchObject({ title: 'Own', inQueries: 0, authors: 1, pages: 1 });
  expect(field(answer.json, 'refused')).toContain('does not exist');
});

test('result helpers choose the status', async () => {
  await create(
    'statuses',
    endpoint(
      '{ body, ok, notFound, badRequest, status }: Scope<{ want: string }>',
      "if (body.want === 'ok') return ok({ fine: true });\n  if (body.want === 'missing') return notFound('no such thing');\n  if (body.want === 'teapot') return status(418, { short: 'stout' });\n  return badRequest('want what?');",
    ),
  );
  expect((await run('statuses', { want: 'ok' })).json).toEqual({ fine: true });
  const missing = await run('statuses', { want: 'missing' });
  expect([missing.status, field(missing.json, 'error', 'message')]).toEqual([404, 'no such thing']);
  const teapot = await run('statuses', { want: 'teapot' });
  expect([teapot.status, teapot.json]).toEqual([418, { short: 'stout' }]);
  expect((await run('statuses', { want: '?' })).status).toBe(400);
});

test('what the code throws is 500 endpoint_failed with its place, for an administrator', async () => {
  await create('throws', endpoint('', "throw new Error('out of ink');"));
  const answer = await run('throws');
  expect([answer.status, field(answer.json, 'error', 'code')]).toEqual([500, 'endpoint_failed']);
  expect(field(answer.json, 'error', 'message')).toContain('out of ink');
});

test('CurrentUser is the caller', async () => {
  await create('me', endpoint('{ CurrentUser }: Scope', 'return CurrentUser?.UserName ?? null;'));
  expect((await run('me')).json).toBe('admin');
});

test('an unknown endpoint is 404, a body that is not JSON 400', async () => {
  const unknown = await run('no/such');
  expect([unknown.status, field(unknown.json, 'error', 'code')]).toEqual([
    404,
    'endpoint_not_found',
  ]);
  await create('echo', endpoint('{ body }: Scope', 'return body;'));
  const malformed = await run('echo', '{"a":');
  expect([malformed.status, field(malformed.json, 'error', 'code')]).toEqual([
    400,
    'malformed_json',
  ]);
  expect((await run('echo', '{"a":[1,2]}')).json).toEqual({ a: [1, 2] });
});

describe('code that runs away ends its own call, and the neighbours are answered', () => {
  const runaways: Record<string, string> = {
    'an endless loop': 'for (;;) {}',
    'an endless chain of microtasks': 'for (;;) await null;',
    'endless recursion': 'const f = (n: number): number => f(n + 1) + 1; return f(0);',
    'a growing array': 'const all: unknown[] = []; for (;;) all.push(new Array(1e6).fill(1));',
    'a growing string': "let s = 'x'; for (;;) s += s.slice(0, 1e6) + 'y'.repeat(1e6);",
    'an array that fills the memory': 'return new Array(2e8).fill({}).length;',
    'a regular expression bomb': "return /^(a+)+$/.test('a'.repeat(40) + 'b');",
    'a promise that nobody keeps': 'await new Promise(() => {});',
    'an unhandled rejection': "void Promise.reject(new Error('nobody looks')); return 'done';",
  };

  test.each(Object.entries(runaways))('%s', async (name, code) => {
    const path = `runaway/${name.replaceAll(' ', '-')}`;
    const created = await create(path, endpoint('', code), { timeoutMs: 700 });
    expect(created.json).toMatchObject({ compiles: true });
    await create('neighbour', endpoint('', 'return 42;'));
    const [answer, ...neighbours] = await Promise.all([
      run(path),
      ...Array.from({ length: 20 }, () => run('neighbour')),
      workspace.http.send({ path: '/api/graph/ready' }),
    ]);
    if (name === 'an unhandled rejection') expect(answer.json).toBe('done');
    else expect([500, 504]).toContain(answer.status);
    expect(neighbours.map((neighbour) => neighbour.text)).toEqual([
      ...Array.from({ length: 20 }, () => '42'),
      'true',
    ]);
    expect(workspace.server.isRunning).toBe(true);
  });
});
