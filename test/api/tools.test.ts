import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool, connectMcp, type McpClient } from '../support/mcp-client.ts';
import { items, People } from '../support/people.ts';
import { untilIndexed } from '../support/search-index.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const PATH = '/api/chatai/tools';
const READS =
  'export default async function ({ CurrentUser }: Scope) {\n  return { as: CurrentUser?.UserName };\n}\n';
const WRITES = `export const input = z.object({ isbn: z.string() });
export default async function ({ body, graph }: Scope<typeof input>) {
  await graph.addOrUpdate('Book', body.isbn, { Title: 'By a tool' });
  return { written: body.isbn };
}
`;
const FAILS = 'export default async ({ badRequest }: Scope) => badRequest("never");\n';

let people: People;
let ada: McpClient;
let admin: McpClient;
beforeAll(async () => {
  people = await People.start();
  await people.add('ada');
  await ok('PUT', '/api/schema', LIBRARY_SCHEMA);
  await create('reads', READS, { isReadOnly: true });
  await create('books/write', WRITES, {});
  await create('admin-writes', WRITES, { access: 'admins' });
  await create('fails', FAILS, { isReadOnly: true });
  await create('texts', 'export const input = z.string();\nexport default async () => 1;\n', {});
  await people.as('admin', 'POST', '/api/endpoints/create', {
    name: 'draft',
    code: 'export default 1 +;',
  });
  const { url } = people.workspace.server;
  ada = await connectMcp(url, people.token('ada'));
  admin = await connectMcp(url, people.token('admin'));
});
afterAll(async () => {
  for (const client of [ada, admin]) await client[Symbol.asyncDispose]();
  await people[Symbol.asyncDispose]();
});

async function ok(method: string, path: string, body?: unknown): Promise<unknown> {
  const { status, text, json } = await people.as('admin', method, path, body);
  expect(status, text).toBeLessThan(300);
  return json;
}

async function create(name: string, code: string, more: object): Promise<void> {
  const made = await ok('POST', '/api/endpoints/create', { name, code, ...more });
  expect(Object(made).diagnostics).toEqual([]);
}

const tool = (name: string, endpoint: string, more: object = {}) => ({
  name,
  description: `What ${name} does.`,
  endpoint,
  ...more,
});
const offered = async ({ client }: McpClient) => (await client.listTools()).tools;
const names = async (client: McpClient) => (await offered(client)).map(({ name }) => name);

describe('definitions', () => {
  test('are made, changed, listed and deleted, each with an event in the audit', async () => {
    const made = await ok('POST', PATH, tool('who', 'reads'));
    const definition = {
      UID: expect.any(String),
      ...tool('who', 'reads'),
      access: 'users',
      enabled: true,
      isReadOnly: true,
      mayRunOnPrimary: false,
      problem: null,
      updatedAt: expect.any(String),
    };
    expect(made).toEqual(definition);
    const changed = await ok('PUT', `${PATH}/who`, { enabled: false, description: ' Says who. ' });
    expect(changed).toEqual({ ...definition, description: 'Says who.', enabled: false });
    const list = await people.as('admin', 'GET', `${PATH}?take=1`);
    expect(list.json).toEqual({ items: [changed], total: 1, skip: 0, take: 1 });
    await ok('DELETE', `${PATH}/who`);
    expect(items(await people.as('admin', 'GET', PATH))).toEqual([]);
    const audit = items(await people.as('admin', 'GET', '/api/audit?take=1000'));
    const deeds = audit
      .map(({ action }) => String(action))
      .filter((one) => one.startsWith('tool.'));
    expect(deeds).toEqual(['tool.deleted', 'tool.changed', 'tool.created']);
  });

  test.each([
    ['a taken name', tool('taken', 'reads'), 409, 'tool_exists'],
    ['no such endpoint', tool('new', 'nothing'), 404, 'endpoint_not_found'],
    ['one that does not compile', tool('new', 'draft'), 422, 'endpoint_not_compiled'],
    ['one that takes a text', tool('new', 'texts'), 400, 'invalid_request'],
    ['a name with a slash', tool('a/b', 'reads'), 400, 'invalid_request'],
    ['a name with a point', tool('a.b', 'reads'), 400, 'invalid_request'],
    ['a name that is too long', tool('a'.repeat(65), 'reads'), 400, 'invalid_request'],
    ['no name', tool('', 'reads'), 400, 'invalid_request'],
    ['no description', tool('new', 'reads', { description: ' ' }), 400, 'invalid_request'],
    ['other access', tool('new', 'reads', { access: 'all' }), 400, 'invalid_request'],
  ])('%s is refused', async (_what, body, status, code) => {
    await people.as('admin', 'POST', PATH, tool('taken', 'reads'));
    expect(await people.outcome('admin', 'POST', PATH, body)).toEqual([status, code]);
    await ok('DELETE', `${PATH}/taken`);
  });

  test('that there are not cannot be changed', async () => {
    expect(await people.outcome('admin', 'PUT', `${PATH}/none`, {})).toEqual([
      404,
      'tool_not_found',
    ]);
    expect(await people.outcome('admin', 'DELETE', `${PATH}/none`)).toEqual([
      404,
      'tool_not_found',
    ]);
  });

  test('say that their endpoint is gone', async () => {
    await create('short-lived', READS, { isReadOnly: true });
    await ok('POST', PATH, tool('orphan', 'short-lived'));
    expect(await names(ada)).toContain('orphan');
    await ok('DELETE', '/api/endpoints/short-lived');
    const [orphan] = items(await people.as('admin', 'GET', PATH));
    expect(orphan).toMatchObject({
      name: 'orphan',
      isReadOnly: null,
      problem: 'endpoint_not_found',
    });
    expect(await names(ada)).not.toContain('orphan');
    expect((await callTool(ada, 'orphan')).value).toMatchObject({
      error: { code: 'endpoint_not_found' },
    });
    await ok('DELETE', `${PATH}/orphan`);
  });
});

describe('what models are offered', () => {
  test('an endpoint that writes is offered by its tool, and only by that', async () => {
    expect(await names(ada)).not.toContain('books__write');
    await expect(callTool(ada, 'books__write', { isbn: '1' })).rejects.toThrow('Unknown tool');
    await ok('POST', PATH, tool('write_book', 'books/write'));
    const own = (await offered(ada)).find(({ name }) => name === 'write_book');
    expect(own).toMatchObject({
      description: 'What write_book does.',
      inputSchema: { type: 'object', required: ['isbn'] },
      annotations: { readOnlyHint: false },
    });
    expect((await callTool(ada, 'write_book', { isbn: '1' })).value).toEqual({ written: '1' });
    const books = await people.as('admin', 'POST', '/api/node/query', { type: 'Book' });
    expect(items(books)).toMatchObject([{ Id: '1', Title: 'By a tool' }]);
    await ok('PUT', `${PATH}/write_book`, { enabled: false });
    expect(await names(admin)).not.toContain('write_book');
    await expect(callTool(admin, 'write_book', { isbn: '2' })).rejects.toThrow('Unknown tool');
  });

  test('a tool takes the place of its endpoint, for those who are offered it', async () => {
    await ok('POST', PATH, tool('whoami', 'reads', { access: 'admins' }));
    expect(await names(admin)).toEqual(expect.arrayContaining(['whoami']));
    expect(await names(admin)).not.toContain('reads');
    expect(await names(ada)).toContain('reads');
    expect(await names(ada)).not.toContain('whoami');
    await expect(callTool(ada, 'whoami')).rejects.toThrow('Unknown tool');
    expect((await callTool(admin, 'whoami')).value).toEqual({ as: 'admin' });
    await ok('DELETE', `${PATH}/whoami`);
  });

  test('a tool opens no endpoint that the user may not run', async () => {
    await ok('POST', PATH, tool('admin_write', 'admin-writes'));
    expect(await names(ada)).not.toContain('admin_write');
    const { value } = await callTool(ada, 'admin_write', { isbn: '3' });
    expect(value).toMatchObject({ error: { code: 'endpoint_not_found' } });
    await ok('DELETE', `${PATH}/admin_write`);
  });

  test('calls are counted by tool', async () => {
    await ok('POST', PATH, tool('counted', 'reads'));
    await ok('POST', PATH, tool('failing', 'fails'));
    await callTool(ada, 'counted');
    await callTool(admin, 'counted');
    await callTool(ada, 'failing');
    const rows = items(await people.as('admin', 'GET', `${PATH}/metrics`));
    const row = (name: string) => rows.find((one) => one['tool'] === name);
    expect(row('counted')).toMatchObject({
      calls: 2,
      errors: 0,
      errorRate: 0,
      p99Ms: expect.any(Number),
    });
    expect(row('failing')).toMatchObject({ calls: 1, errors: 1, errorRate: 1 });
    expect(Date.parse(String(row('counted')?.['lastCalledAt']))).toBeGreaterThan(0);
  });
});

describe('what models may search for', () => {
  const SETTINGS = '/api/search/settings/llm';
  const found = async (request: Record<string, unknown>) => {
    const { value } = await callTool(ada, 'system__search', request);
    const { hits, error } = Object(value);
    return error?.code ?? hits.map(({ node }: { node: { Id: string } }) => node.Id).toSorted();
  };

  beforeAll(async () => {
    await ok('PUT', '/api/schema', {
      nodes: [{ type: 'Plan', key: 'Name', fields: { Title: 'String', Place: 'Json' } }],
      edges: [],
    });
    await ok('PUT', '/api/search/settings', {
      types: Object.fromEntries(
        ['Book', 'Plan'].map((type) => [
          type,
          { searchable: true, language: 'en', fields: { Title: { text: { boost: 1 } } } },
        ]),
      ),
    });
    const write = (type: string, key: string, fields: object) => ({
      op: 'addOrUpdate',
      type,
      key,
      fields,
    });
    await ok('POST', '/api/ingest', {
      operations: [
        write('Book', 'b', { Title: 'Harbour lights', Pages: 10 }),
        write('Plan', 'p', { Title: 'Harbour works' }),
      ],
    });
    await untilIndexed(people.workspace.http, people.token('admin'));
  });

  test('everything, at first', async () => {
    const { available, ...settings } = Object(await ok('GET', SETTINGS));
    expect(available).toEqual({
      Book: ['Title', 'Pages', 'Published', 'Tags'],
      Author: ['Born'],
      Plan: ['Title'],
    });
    expect(settings).toEqual({
      nodeTypes: ['Book', 'Author', 'Plan'],
      filters: ['Title', 'Pages', 'Published', 'Tags', 'Born'],
    });
    expect(await found({ query: 'harbour' })).toEqual(['b', 'p']);
  });

  test('only the types and filters that an administrator says, until they are emptied', async () => {
    await ok('PUT', SETTINGS, { nodeTypes: ['Book'], filters: ['Pages'] });
    expect(await ok('GET', SETTINGS)).toMatchObject({ nodeTypes: ['Book'], filters: ['Pages'] });
    expect(await found({ query: 'harbour' })).toEqual(['b']);
    expect(await found({ query: 'harbour', types: ['Book'], filters: { Pages: 10 } })).toEqual([
      'b',
    ]);
    for (const request of [
      { types: ['Plan'] },
      { types: ['Book', 'Plan'] },
      { filters: { Title: 'x' } },
      {
        filters: [
          { field: 'Pages', value: 1 },
          { field: 'Tags', value: 'x' },
        ],
      },
    ]) {
      expect(await found({ query: 'harbour', ...request })).toBe('invalid_request');
    }
    // People search as before.
    const byPerson = await people.as('ada', 'POST', '/api/cce/system/search', { query: 'harbour' });
    expect(Object(byPerson.json).total).toBe(2);
    const restored = Object(await ok('PUT', SETTINGS, { nodeTypes: [], filters: [] }));
    expect(restored.nodeTypes).toEqual(['Book', 'Author', 'Plan']);
    expect(await found({ query: 'harbour' })).toEqual(['b', 'p']);
  });

  test('what was read can be sent back', async () => {
    const settings = await ok('GET', SETTINGS);
    expect(await ok('PUT', SETTINGS, settings)).toEqual(settings);
    await ok('PUT', SETTINGS, { nodeTypes: [], filters: [] });
  });

  test.each([
    [{ nodeTypes: ['Nowhere'], filters: [] }, 'nodeTypes'],
    [{ nodeTypes: ['_User'], filters: [] }, 'nodeTypes'],
    [{ nodeTypes: ['Plan'], filters: ['Pages'] }, 'filters'],
    [{ nodeTypes: ['Plan'], filters: ['Place'] }, 'filters'],
    [{ nodeTypes: [] }, 'filters'],
  ])('%j is refused', async (body, path) => {
    const { status, json } = await people.as('admin', 'PUT', SETTINGS, body);
    expect([status, Object(json).error.details.fields[0].path]).toEqual([400, path]);
  });
});

describe('the head of the code', () => {
  const read = async (name: string, line: string, more: object = {}) => {
    const code = `// trellis: ${line}\n${READS}`;
    const { json } = await people.as('admin', 'POST', '/api/endpoints/create', {
      name,
      code,
      isReadOnly: true,
      description: 'For people.',
      ...more,
    });
    return Object(json);
  };

  test('says what models are told, in place of the description', async () => {
    await read('told', 'tool "Use it for who asks."');
    const told = async () => (await offered(ada)).find(({ name }) => name === 'told')?.description;
    expect(await told()).toBe('Use it for who asks.');
    await ok('PUT', '/api/endpoints/told', { code: READS });
    expect(await told()).toBe('For people.');
  });

  test('keeps an endpoint from models, as a tool as well, and from nobody else', async () => {
    await read('kept', 'tool off');
    await ok('POST', PATH, tool('wrapper', 'kept'));
    for (const client of [ada, admin]) {
      expect(await names(client)).not.toContain('kept');
      expect(await names(client)).not.toContain('wrapper');
    }
    const tools = items(await people.as('admin', 'GET', PATH));
    expect(tools).toContainEqual(
      expect.objectContaining({ name: 'wrapper', problem: 'endpoint_tool_off' }),
    );
    for (const name of ['kept', 'wrapper']) {
      await expect(callTool(ada, name)).rejects.toThrow(name);
    }
    const ran = await people.as('ada', 'POST', '/api/endpoints/run/kept', {});
    expect(ran.json).toEqual({ as: 'ada' });
    await ok('PUT', '/api/endpoints/kept', { code: READS });
    expect(await names(ada)).toContain('wrapper');
    await ok('DELETE', `${PATH}/wrapper`);
    await ok('DELETE', '/api/endpoints/kept');
  });

  test('that says neither is an error of the code', async () => {
    const code = `// trellis: tool of\n${READS}`;
    const { diagnostics } = Object(await ok('POST', '/api/endpoints/check', { code }));
    expect(diagnostics).toMatchObject([
      { line: 1, message: expect.stringContaining('tool is off') },
    ]);
    // As the command says it.
    const misspelled = `// trellis: toolz off\n${READS}`;
    const checked = await ok('POST', '/api/endpoints/check', { code: misspelled });
    expect(Object(checked).diagnostics).toMatchObject([
      { line: 1, message: expect.stringContaining('unknown setting "toolz"') },
    ]);
    const long = `// trellis: tool "${'x'.repeat(2_001)}"\n${READS}`;
    expect(
      Object(await ok('POST', '/api/endpoints/check', { code: long })).diagnostics,
    ).toMatchObject([{ line: 1, message: expect.stringContaining('2000') }]);
  });
});
