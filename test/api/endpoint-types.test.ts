import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callTool, connectMcp, type McpClient } from '../support/mcp-client.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const FIND = `interface Wanted {
  readonly word: string;
  readonly take?: number;
  readonly sort: 'up' | 'down' | null;
  readonly tags?: readonly string[];
}
export default async function ({ body, notFound }: Scope<Wanted>) {
  if (body.word === 'none') return notFound('There is no such word.');
  return { word: body.word, found: [body.take ?? 0], at: new Date(0) };
}
`;
const TREE = `interface Tree { readonly name: string; readonly kids?: readonly Tree[] }
export default ({ body }: Scope<{ readonly tree: Tree; readonly pair?: [string, number?] }>) => body.tree.name;
`;
const GOOD = { word: 'dog', sort: 'up' };

let workspace: TestWorkspace;
let mcp: McpClient;
beforeAll(async () => {
  workspace = await startWorkspace();
  await send('PUT', '/api/schema', LIBRARY_SCHEMA);
  await create('words/find', FIND);
  await create('words/tree', TREE);
  mcp = await connectMcp(workspace.server.url, workspace.token);
});
afterAll(async () => {
  await mcp[Symbol.asyncDispose]();
  await workspace[Symbol.asyncDispose]();
});

function send(method: string, path: string, body?: unknown) {
  return workspace.http.send({ method, path, token: workspace.token, body });
}

async function create(name: string, code: string, more: object = {}) {
  const created = await send('POST', '/api/endpoints/create', {
    name,
    code,
    isReadOnly: true,
    ...more,
  });
  expect(created.json).toMatchObject({ compiles: true, diagnostics: [] });
}

function run(name: string, body?: unknown) {
  return send('POST', `/api/endpoints/run/${name}`, body);
}

async function postOf(name: string) {
  const { json } = await send('GET', '/api/openapi.json');
  const { paths, components } = Object(json);
  return { ...paths[`/api/endpoints/run/${name}`].post, components };
}

const jsonIn = (part: unknown): unknown => Object(part).content['application/json'].schema;

describe('a body of another shape than its type', () => {
  test.each([
    ['a member of another type', { ...GOOD, word: 7 }, 'word', 'expected string, received number'],
    ['a member that is missing', { sort: 'up' }, 'word', 'expected string, received undefined'],
    ['null for an optional member', { ...GOOD, take: null }, 'take', 'expected number'],
    ['a text that is none of them', { ...GOOD, sort: 'left' }, 'sort', '"up"'],
    ['an item of another type', { ...GOOD, tags: ['a', 1] }, 'tags.1', 'expected string'],
    ['something that is not an object', '"dog"', '', 'expected object, received string'],
    ['an array', [GOOD], '', 'expected object, received array'],
    ['no body', undefined, '', 'expected object, received undefined'],
  ])('%s: 400 that names the path', async (_case, body, path, message) => {
    const answer = await run('words/find', body);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({
      error: {
        code: 'invalid_request',
        details: { fields: [{ path, message: expect.stringContaining(message) }] },
      },
    });
  });

  test('names what is wrong within types that contain themselves, and in tuples', async () => {
    const tree = { name: 'a', kids: [{ name: 'b' }, { kids: [] }] };
    const answer = await run('words/tree', { tree, pair: ['x', 'y', 'z'] });
    const { fields } = Object(answer.json).error.details;
    expect(fields.map((fault: { path: string }) => fault.path).toSorted()).toEqual([
      'pair',
      'pair.1',
      'tree.kids.1.name',
    ]);
    expect((await run('words/tree', { tree: { name: 'a', kids: [{ name: 'b' }] } })).json).toBe(
      'a',
    );
  });

  test('is taken when it has more members, as types are open', async () => {
    const answer = await run('words/find', { ...GOOD, more: true, take: 2 });
    expect(answer.json).toEqual({ word: 'dog', found: [2], at: '1970-01-01T00:00:00.000Z' });
  });

  test('a body nested without end is refused, and nothing breaks', async () => {
    let tree: object = { name: 'leaf' };
    for (let level = 0; level < 500; level++) tree = { name: 'a', kids: [tree] };
    const answer = await run('words/tree', { tree });
    expect(answer).toMatchObject({ status: 400, json: { error: { code: 'invalid_request' } } });
  });
});

describe('what stays as it was', () => {
  test.each([
    ['no type', '{ body }: Scope'],
    ['unknown', '{ body }: Scope<unknown>'],
    ['any', '{ body }: Scope<any>'],
  ])('with %s, any body', async (type, scope) => {
    const name = `any/${type.replace(' ', '-')}`;
    await create(name, `export default (${scope}) => body ?? 'none';\n`);
    for (const body of [7, true, [1], { a: 1 }]) {
      expect((await run(name, body)).json).toEqual(body);
    }
    expect((await run(name)).json).toBe('none');
  });

  test('`export const input` wins over the type', async () => {
    await create(
      'words/own',
      'export const input = z.object({ word: z.string().max(3) });\n' +
        'export default ({ body }: Scope<{ word: string; more: number }>) => body.word;\n',
    );
    expect((await run('words/own', { word: 'dog' })).json).toBe('dog');
    expect((await run('words/own', { word: 'hound' })).status).toBe(400);
  });

  test('names of the schema that come later are taken', async () => {
    await create(
      'types/name',
      'export default ({ body }: Scope<{ type: NodeTypeName; to?: WritableNodeTypeName }>) => body.type;\n',
    );
    expect((await run('types/name', { type: 'Later', to: 'Later' })).json).toBe('Later');
    expect((await run('types/name', { type: 7 })).status).toBe(400);
  });
});

describe('what the types say outside', () => {
  test('openapi.json has the body and the answer', async () => {
    const post = await postOf('words/find');
    expect(post.requestBody.required).toBe(true);
    expect(jsonIn(post.requestBody)).toEqual({
      type: 'object',
      properties: {
        word: { type: 'string' },
        take: { type: 'number' },
        sort: { enum: [null, 'down', 'up'] },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['word', 'sort'],
    });
    expect(jsonIn(post.responses['200'])).toEqual({
      type: 'object',
      properties: {
        word: { type: 'string' },
        found: { type: 'array', items: { type: 'number' } },
        at: { type: 'string', format: 'date-time' },
      },
      required: ['word', 'found', 'at'],
    });
    const { components, ...tree } = await postOf('words/tree');
    const { properties } = jsonIn(tree.requestBody) as { properties: { tree: { $ref: string } } };
    const name = properties.tree.$ref.split('/').at(-1) ?? '';
    expect(components.schemas[name]).toMatchObject({ required: ['name'] });
  });

  test('tools of MCP have both, and results that clients hold against them', async () => {
    const { tools } = await mcp.client.listTools();
    const find = tools.find(({ name }) => name === 'words__find');
    expect(find?.inputSchema).toMatchObject({ type: 'object', required: ['word', 'sort'] });
    expect(find?.outputSchema).toMatchObject({
      type: 'object',
      properties: { word: { type: 'string' } },
      anyOf: [{ required: ['word', 'found', 'at'] }, { required: ['error'] }],
    });
    const tree = tools.find(({ name }) => name === 'words__tree');
    expect(tree?.outputSchema).toEqual({
      type: 'object',
      properties: { result: { type: 'string' } },
      anyOf: [{ required: ['result'] }, { required: ['error'] }],
    });
    const result = await callTool(mcp, 'words__tree', { tree: { name: 'a' } });
    expect(result.value).toEqual({ result: 'a' });
    const refused = await callTool(mcp, 'words__tree', { tree: 1 });
    expect(refused.value).toMatchObject({ error: { code: 'invalid_request' } });
    const missing = await callTool(mcp, 'words__find', { ...GOOD, word: 'none' });
    expect(missing.value).toMatchObject({ error: { code: 'not_found' } });
  });

  test('a check tells them, and what they cannot say', async () => {
    const code = `export default ({ body }: Scope<{ word: string; after: () => void }>) => new Map([['a', body.word]]);\n`;
    const checked = await send('POST', '/api/endpoints/check', { code, types: true });
    expect(checked.json).toEqual({
      diagnostics: [],
      notices: [
        {
          line: 1,
          column: 1,
          code: 0,
          message: expect.stringContaining('body.after is not checked'),
        },
        { line: 1, column: 1, code: 0, message: expect.stringContaining('answer') },
      ],
      input: {
        type: 'object',
        properties: { word: { type: 'string' }, after: {} },
        required: ['word', 'after'],
      },
    });
  });

  test('a draft that does not compile leaves what serves as it is', async () => {
    await create('words/changing', 'export default ({ body }: Scope<{ n: number }>) => body.n;\n', {
      isReadOnly: false,
    });
    const broken = 'export default ({ body }: Scope<{ n: string }>) => body.m;\n';
    const saved = await send('PUT', '/api/endpoints/words/changing', { code: broken });
    expect(saved.json).toMatchObject({ compiles: false });
    expect((await run('words/changing', { n: 1 })).json).toBe(1);
    expect((await run('words/changing', { n: 'a' })).status).toBe(400);
    const mended = 'export default ({ body }: Scope<{ n: string }>) => body.n;\n';
    await send('PUT', '/api/endpoints/words/changing', { code: mended });
    expect((await run('words/changing', { n: 'a' })).json).toBe('a');
    expect((await run('words/changing', { n: 1 })).status).toBe(400);
    await send('PUT', '/api/endpoints/words/changing', { timeoutMs: 5_000 });
    expect((await run('words/changing', { n: 1 })).status).toBe(400);
  });
});
