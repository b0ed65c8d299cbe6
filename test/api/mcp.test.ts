import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field } from '../support/http-client.ts';
import { callTool, connectMcp, type McpClient } from '../support/mcp-client.ts';
import { items, People } from '../support/people.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';

const LOOKUP = `export const input = z.object({
  isbn: z.string().min(1).describe('Of the book.'),
  take: z.int().max(10).default(3),
});
export default async function ({ body, CurrentUser }: Scope<typeof input>) {
  return { isbn: body.isbn, take: body.take, as: CurrentUser?.UserName };
}
`;
/** Ends when it is cancelled, and says so. */
const WAITS = `export default async function ({ body, graph, progress, signal, log }: Scope<{ key: string }>) {
  progress(0.25, 'reading');
  while (!signal.aborted) await graph.tryGet('Book', body.key);
  log.info('cancelled');
  return null;
}
`;
const returns = (value: string) => `export default async function () {\n  return ${value};\n}\n`;

let people: People;
let hidden: string;
let seen: string;
const clients = new Map<string, McpClient>();

beforeAll(async () => {
  people = await People.start();
  const actingUser = await people.add('ada');
  await people.add('guest', { isGuest: true });
  const team = await people.addTeam('Insiders');
  await ok('PUT', '/api/schema', LIBRARY_SCHEMA);
  await ok('POST', '/api/ingest', {
    operations: [
      { op: 'tryAdd', type: 'Book', key: 'seen', fields: { Title: 'Sailing' } },
      { op: 'tryAdd', type: 'Book', key: 'hidden', fields: { Title: 'Smuggling' } },
      { op: 'restrict', node: { type: 'Book', key: 'hidden' }, team: { uid: team } },
    ],
  });
  const { json } = await people.as('admin', 'POST', '/api/node/query', { type: 'Book' });
  const uidOf = (key: string) =>
    field(
      Object(json).items.find((one: unknown) => Object(one).Id === key),
      'UID',
    );
  [hidden, seen] = [uidOf('hidden'), uidOf('seen')];
  const readOnly = { isReadOnly: true };
  await create('books/lookup', LOOKUP, { ...readOnly, description: 'Looks a book up.' });
  await create('books.all', returns('[1, 2]'), readOnly);
  await create('for-admins', returns("'secret'"), { ...readOnly, access: 'admins' });
  await create(
    'fails',
    'export default async function () {\n  throw new Error("inner words");\n}\n',
    readOnly,
  );
  await create(
    'refuses',
    'export default async ({ notFound }: Scope) => notFound("no such word");\n',
    readOnly,
  );
  await create(
    'texts',
    'export const input = z.string();\nexport default async () => 1;\n',
    readOnly,
  );
  await create('waits', WAITS, readOnly);
  await create('waits/pooled', WAITS, { ...readOnly, mode: 'pooling' });
  await create('writes', returns('1'), {});
  await people.addToken('ada by token', { kind: 'mcp', name: 'mcp', actingUser });
  for (const name of ['admin', 'ada by token', 'guest']) clients.set(name, await connect(name));
});
afterAll(async () => {
  for (const client of clients.values()) await client[Symbol.asyncDispose]();
  await people[Symbol.asyncDispose]();
});

const connect = (name: string) => connectMcp(people.workspace.server.url, people.token(name));

function as(name: string): McpClient {
  const client = clients.get(name);
  if (client === undefined) throw new Error(`${name} is not connected`);
  return client;
}

async function ok(method: string, path: string, body: unknown): Promise<void> {
  const { status, text } = await people.as('admin', method, path, body);
  expect(status, text).toBeLessThan(300);
}

async function create(name: string, code: string, more: object): Promise<void> {
  const answer = await people.as('admin', 'POST', '/api/endpoints/create', { name, code, ...more });
  expect([answer.status, Object(answer.json).diagnostics], answer.text).toEqual([201, []]);
}

const WAITED = { key: 'none' };

describe('tools', () => {
  const namesFor = async (name: string) =>
    (await as(name).client.listTools()).tools.map((tool) => tool.name);

  test('are the read-only endpoints that the user may run, and take an object', async () => {
    const own = [
      'books__lookup',
      'fails',
      'refuses',
      'system__neighbors',
      'system__search',
      'waits',
    ];
    expect(await namesFor('ada by token')).toEqual(
      expect.arrayContaining([...own, 'waits__pooled']),
    );
    expect(await namesFor('ada by token')).toEqual(await namesFor('guest'));
    for (const name of ['ada by token', 'admin']) {
      for (const other of ['writes', 'texts']) expect(await namesFor(name)).not.toContain(other);
    }
    expect(await namesFor('admin')).toContain('for-admins');
    expect(await namesFor('ada by token')).not.toContain('for-admins');
  });

  test('say what they are for and what they take, as the code says it', async () => {
    const { tools } = await as('ada by token').client.listTools();
    const one = (name: string) => tools.find((tool) => tool.name === name);
    expect(one('books__lookup')).toEqual({
      name: 'books__lookup',
      description: 'Looks a book up.',
      inputSchema: {
        type: 'object',
        properties: {
          isbn: { type: 'string', minLength: 1, description: 'Of the book.' },
          take: { type: 'integer', minimum: expect.any(Number), maximum: 10, default: 3 },
        },
        required: ['isbn'],
      },
      outputSchema: {
        type: 'object',
        properties: {
          isbn: { type: 'string' },
          take: { type: 'number' },
          as: { type: 'string' },
        },
        anyOf: [{ required: ['isbn', 'take'] }, { required: ['error'] }],
      },
      annotations: { readOnlyHint: true },
    });
    expect(one('fails')?.inputSchema).toEqual({ type: 'object' });
    expect(one('system__search')?.inputSchema.properties).toMatchObject({
      query: { type: 'string' },
      types: { type: 'array', items: { type: 'string' } },
      filters: { anyOf: [{ type: 'array' }, { type: 'object' }] },
      relatedTo: { type: 'array' },
      sort: { type: 'string', enum: ['relevance', 'recent', 'oldest'] },
      skip: { type: 'integer', minimum: 0 },
      take: { type: 'integer', maximum: 1_000 },
    });
  });

  test('run as the user, with text and object', async () => {
    const answer = await callTool(as('ada by token'), 'books__lookup', { isbn: '1' });
    expect(answer.value).toEqual({ isbn: '1', take: 3, as: 'ada' });
    expect([answer.isError, JSON.parse(answer.text)]).toEqual([false, answer.value]);
    const { tools } = await as('admin').client.listTools();
    const list = tools.find(({ name }) => /^books_all_[0-9a-f]{10}$/.test(name));
    const all = await callTool(as('admin'), String(list?.name));
    expect(all).toEqual({ isError: false, value: { result: [1, 2] }, text: '[1,2]' });
  });

  test('that fail are results with our codes; why is for administrators', async () => {
    const toAda = await callTool(as('ada by token'), 'fails');
    expect([toAda.isError, toAda.value]).toMatchObject([
      true,
      { error: { code: 'endpoint_failed' } },
    ]);
    expect(JSON.stringify(toAda)).not.toContain('inner words');
    expect((await callTool(as('admin'), 'fails')).text).toContain('inner words');
    const refused = await callTool(as('ada by token'), 'refuses');
    expect(refused.value).toMatchObject({ error: { code: 'not_found', message: 'no such word' } });
    const wrong = await callTool(as('ada by token'), 'books__lookup', { take: 2 });
    const fields = [{ path: 'isbn', message: expect.any(String) }];
    expect(wrong.value).toMatchObject({ error: { code: 'invalid_request', details: { fields } } });
  });

  test.each(['for-admins', 'writes', 'nothing', 'books/lookup', '__proto__'])(
    'that are not theirs are not there: %s',
    async (name) => {
      await expect(callTool(as('ada by token'), name)).rejects.toThrow(`Unknown tool: ${name}`);
    },
  );
});

describe('a call that takes long', () => {
  const cancelledRuns = async (endpoint: string) =>
    items(await people.as('admin', 'GET', `/api/endpoints/logs?endpoint=${endpoint}`)).filter(
      ({ message }) => message === 'cancelled',
    ).length;
  const untilCancelled = async (endpoint: string, count: number): Promise<void> => {
    while ((await cancelledRuns(endpoint)) < count);
  };

  test.each([
    ['waits', 'waits'],
    ['waits__pooled', 'waits/pooled'],
  ])('tells how far it is, and ends when it is cancelled: %s', async (name, endpoint) => {
    const before = await cancelledRuns(endpoint);
    const cancel = new AbortController();
    const notices: unknown[] = [];
    const { client } = as('ada by token');
    const call = client.callTool({ name, arguments: WAITED }, undefined, {
      signal: cancel.signal,
      onprogress: (notice) => {
        notices.push(notice);
        cancel.abort('enough');
      },
    });
    await expect(call).rejects.toThrow('enough');
    expect(notices).toEqual([{ progress: 0.25, total: 1, message: 'reading' }]);
    await untilCancelled(endpoint, before + 1);
    expect((await callTool(as('ada by token'), 'refuses')).isError).toBe(true);
  });

  test('ends when the client leaves', async () => {
    const before = await cancelledRuns('waits');
    const leaving = await connect('ada by token');
    const { promise, resolve } = Promise.withResolvers<void>();
    const call = leaving.client.callTool({ name: 'waits', arguments: WAITED }, undefined, {
      onprogress: () => resolve(),
    });
    call.catch(() => {});
    await promise;
    await leaving.client.close();
    await untilCancelled('waits', before + 1);
  });

  test('is cancelled by nobody else', async () => {
    const other = await connect('ada by token');
    const guest = as('guest').transport;
    const cancel = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const call = as('ada by token').client.callTool(
      { name: 'waits', arguments: WAITED },
      undefined,
      {
        signal: cancel.signal,
        onprogress: () => resolve(),
      },
    );
    call.catch(() => {});
    await promise;
    const before = await cancelledRuns('waits');
    for (const transport of [other.transport, guest]) {
      for (let requestId = 0; requestId < 40; requestId++) {
        await transport.send({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId },
        });
      }
    }
    expect(await cancelledRuns('waits')).toBe(before);
    cancel.abort();
    await untilCancelled('waits', before + 1);
    await other[Symbol.asyncDispose]();
  });
});

describe('nodes', () => {
  const read = (name: string, uri: string) => as(name).client.readResource({ uri });
  const refusal = (name: string, uri: string) =>
    read(name, uri).catch((error: unknown) => ({
      code: Object(error).code,
      message: String(Object(error).message).replace(uri, ''),
    }));

  test('are resources by their UID, and none is listed', async () => {
    const { client } = as('ada by token');
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'trellis://node/{uid}',
    ]);
    expect((await client.listResources()).resources).toEqual([]);
    const uri = `trellis://node/${seen}`;
    const { contents } = await read('ada by token', uri);
    expect(contents).toEqual([{ uri, mimeType: 'application/json', text: expect.any(String) }]);
    expect(JSON.parse(String(Object(contents[0]).text))).toMatchObject({
      UID: seen,
      Title: 'Sailing',
    });
  });

  test('that the user may not see are as if they were not there', async () => {
    expect(await read('admin', `trellis://node/${hidden}`)).toHaveProperty('contents');
    const unseen = await refusal('ada by token', `trellis://node/${hidden}`);
    expect(unseen).toEqual({ code: -32_002, message: expect.stringContaining('not found') });
    for (const uri of [
      'trellis://node/1111111111111111111111',
      'trellis://node/',
      'trellis://node/..%2F..%2Fetc%2Fpasswd',
      `trellis://other/${seen}`,
      'file:///etc/passwd',
    ]) {
      expect(await refusal('ada by token', uri), uri).toEqual(unseen);
    }
  });

  test('are found by the tools as the user sees them', async () => {
    const look = async (uid: string) => {
      const answer = await callTool(as('ada by token'), 'system__neighbors', { node: { uid } });
      return JSON.stringify(answer).replaceAll(uid, '');
    };
    expect(await look(hidden)).toBe(await look('1111111111111111111111'));
    expect(await look(hidden)).toContain('not_found');
    expect(await look(seen)).not.toContain('not_found');
  });
});
