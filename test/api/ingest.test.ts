import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { field } from '../support/http-client.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await startWorkspace();
  const put = await send('PUT', '/api/schema', LIBRARY_SCHEMA);
  expect(put.status).toBe(200);
});
afterAll(() => workspace[Symbol.asyncDispose]());

function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  return workspace.http.send({ method, path, token: workspace.token, body, headers });
}

function ingest(operations: readonly unknown[]) {
  return send('POST', '/api/ingest', { operations });
}

function ingestLines(lines: readonly unknown[]) {
  const body = lines
    .map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    .join('\n');
  return send('POST', '/api/ingest', body, { 'content-type': 'application/x-ndjson' });
}

const book = (key: string, fields: Record<string, unknown> = {}) => ({
  op: 'addOrUpdate',
  type: 'Book',
  key,
  fields,
});

/** Reads a node back the only way there is over HTTP: through an endpoint. */
async function read(type: string, key: string): Promise<unknown> {
  const name = 'test/read';
  await send('POST', '/api/endpoints/create', {
    name,
    code: `export default async function ({ body, graph }: Scope<{ type: NodeTypeName; key: string }>) {
      return graph.tryGet(body.type, body.key);
    }`,
  });
  return (await send('POST', `/api/endpoints/run/${name}`, { type, key })).json;
}

test('the schema is what was put, and putting it again changes nothing', async () => {
  const first = await send('GET', '/api/schema');
  expect(first.json).toMatchObject({
    nodes: expect.arrayContaining([expect.objectContaining({ type: 'Book', key: 'Isbn' })]),
  });
  expect(first.text).not.toContain('_User');
  const again = await send('PUT', '/api/schema', LIBRARY_SCHEMA);
  expect(again.headers.get('x-msk-sequence')).toBe(first.headers.get('x-msk-sequence'));
  expect(again.json).toEqual(first.json);
});

test('a schema change that would lose data is 409 schema_conflict', async () => {
  const answer = await send('PUT', '/api/schema', {
    nodes: [{ type: 'Book', key: 'Isbn', fields: { Title: 'Int' } }],
    edges: [],
  });
  expect([answer.status, field(answer.json, 'error', 'code')]).toEqual([409, 'schema_conflict']);
});

test('operations in JSON are one commit, and answer what changed', async () => {
  const answer = await ingest([
    book('978-1', { Title: 'Dune', Pages: 412, Published: '1965-08-01T00:00:00Z', Tags: ['sf'] }),
    { op: 'tryAdd', type: 'Author', key: 'Frank Herbert', fields: { Born: 1920 } },
    {
      op: 'link',
      from: { type: 'Book', key: '978-1' },
      edge: 'WrittenBy',
      to: { type: 'Author', key: 'Frank Herbert' },
      fields: { Role: 'author' },
    },
  ]);
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({ nodes: 2, created: 2, commits: 1 });
  expect(Number(answer.headers.get('x-msk-sequence'))).toBeGreaterThanOrEqual(
    Number(Object(answer.json).sequence),
  );
  expect(await read('Book', '978-1')).toMatchObject({
    Type: 'Book',
    Id: '978-1',
    Isbn: '978-1',
    Title: 'Dune',
    Pages: 412,
    Published: '1965-08-01T00:00:00.000Z',
    Tags: ['sf'],
  });
});

test('NDJSON takes any number of lines, blank ones and gzip too', async () => {
  const lines = Array.from({ length: 25_000 }, (_, i) =>
    JSON.stringify(book(`n-${i}`, { Pages: i })),
  );
  const answer = await send('POST', '/api/ingest', gzipSync(`${lines.join('\n')}\n\n`), {
    'content-type': 'application/x-ndjson',
    'content-encoding': 'gzip',
  });
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({ nodes: 25_000, edges: 0, commits: 3 });
  expect(await read('Book', 'n-24999')).toMatchObject({ Pages: 24_999 });
});

test.each([
  ['an unknown operation', { op: 'explode' }],
  ['an unknown type', { op: 'addOrUpdate', type: 'Bok', key: 'x' }],
  ['an unknown field', book('bad', { Titel: 'x' })],
  ['a value of another type', book('bad', { Pages: 'many' })],
  ['an update of what does not exist', { op: 'update', type: 'Book', key: 'nowhere', fields: {} }],
  [
    'a link to a node that does not exist',
    {
      op: 'link',
      from: { type: 'Book', key: 'good' },
      edge: 'WrittenBy',
      to: { type: 'Author', key: 'nobody' },
    },
  ],
  ['a system type', { op: 'addOrUpdate', type: '_User', key: 'eve', fields: { IsAdmin: true } }],
  ['no operation at all', 7],
])('%s refuses the whole commit with its index', async (_case, bad) => {
  const answer = await ingest([book('good', { Title: 'must not appear' }), bad]);
  expect([answer.status, field(answer.json, 'error', 'code')]).toEqual([422, 'invalid_operation']);
  expect(answer.json).toMatchObject({ error: { details: { index: 1 } } });
  expect(await read('Book', 'good')).toBeNull();
  const lines = await ingestLines([book('good', { Title: 'must not appear' }), bad]);
  expect([lines.status, field(lines.json, 'error', 'code')]).toEqual([422, 'invalid_operation']);
  expect(lines.json).toMatchObject({ error: { details: { index: 1 } } });
  expect(await read('Book', 'good')).toBeNull();
});

test('a line that is not JSON is refused', async () => {
  const answer = await ingestLines([book('unread'), '{"op":']);
  expect([answer.status, field(answer.json, 'error', 'code')]).toEqual([400, 'malformed_json']);
  expect(await read('Book', 'unread')).toBeNull();
});

test('a bad line after 10,000 good ones says what was committed', async () => {
  const good = Array.from({ length: 10_000 }, (_, i) => book(`before-${i}`));
  const answer = await ingestLines([...good, { op: 'explode' }]);
  expect(answer.status).toBe(422);
  expect(answer.json).toMatchObject({
    error: { details: { index: 10_000, committed: { nodes: 10_000, commits: 1 } } },
  });
  expect(await read('Book', 'before-9999')).not.toBeNull();
});

test('deleting a node removes its edges', async () => {
  await ingest([
    book('978-2'),
    { op: 'addOrUpdate', type: 'Author', key: 'Ann' },
    {
      op: 'link',
      from: { type: 'Book', key: '978-2' },
      edge: 'WrittenBy',
      to: { type: 'Author', key: 'Ann' },
    },
  ]);
  const gone = await ingest([{ op: 'delete', type: 'Author', key: 'Ann' }]);
  expect(gone.json).toMatchObject({ nodes: 1, edges: 2 });
  expect(await read('Author', 'Ann')).toBeNull();
});

test('another content type is 415, broken gzip 400', async () => {
  expect((await send('POST', '/api/ingest', 'a,b', { 'content-type': 'text/csv' })).status).toBe(
    415,
  );
  const broken = await send('POST', '/api/ingest', new Uint8Array([31, 139, 8, 0, 1, 2]), {
    'content-type': 'application/x-ndjson',
    'content-encoding': 'gzip',
  });
  expect([broken.status, field(broken.json, 'error', 'code')]).toEqual([400, 'malformed_encoding']);
});
