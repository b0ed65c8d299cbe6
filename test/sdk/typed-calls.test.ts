import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/trellis-process.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

/** Programs are compiled with what a server says of its endpoints, and call them so. */

const run = promisify(execFile);
const MODULES = resolve(import.meta.dirname, '../../node_modules');

/** Names that mean something to TypeScript, or to the module itself. */
const SCHEMA = {
  nodes: [
    { type: 'Book', key: 'Isbn', fields: { Title: 'String', Pages: 'Int', AuthorName: 'String' } },
    ...['Node', 'Endpoints', 'Register', 'NodeTypes', 'UID', 'string', 'BooksInput'].map(
      (type) => ({
        type,
        key: 'Name',
        fields: { Promise: 'String' },
      }),
    ),
  ],
  edges: [],
};

const ENDPOINTS = {
  'books/by-author': `
export default async ({ body, q }: Scope<{
  /** The name, as on the cover. */
  author: string;
  take?: number;
}>) => (await q().startWhere('Book', 'AuthorName', '=', body.author).take(body.take ?? 10).nodes());`,
  'books/counted': `
export const input = z.object({ word: z.string(), times: z.int().default(1) });
export default ({ body }: Scope<typeof input>) => ({ word: body.word, 'total-times': body.times });`,
  'Odd.name_1-x/2nd': `
interface Node { readonly name: string; readonly kids?: readonly Node[] }
/** Not the end: *\\/ */
export default ({ body }: Scope<{ readonly 'with-dash': Node }>): { readonly tree: Node; readonly pair: readonly [string, number?] } =>
  ({ tree: body['with-dash'], pair: ['a'] });`,
  nothing: 'export default () => {};',
  anything: 'export default ({ body }: Scope) => body;',
};

let workspace: TestWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  workspace = await startWorkspace();
  folder = await temporaryFolder();
  await send('PUT', '/api/schema', SCHEMA);
  const fields = { Title: 'Dune', Pages: 412, AuthorName: 'Frank Herbert' };
  await send('POST', '/api/ingest', {
    operations: [{ op: 'addOrUpdate', type: 'Book', key: 'b1', fields }],
  });
  for (const [name, code] of Object.entries(ENDPOINTS)) {
    const description = 'A comment that ends? */ export type Escaped = any; /*\nIt goes on.';
    const made = await send('POST', '/api/endpoints/create', { name, code, description });
    expect(made.json).toMatchObject({ diagnostics: [] });
  }
  await mkdir(join(folder.path, 'src'));
  await symlink(MODULES, join(folder.path, 'node_modules'));
  const types = await send('GET', '/api/build/program-types');
  await write('src/workspace.ts', types.text);
  await write('package.json', '{ "type": "module" }');
});
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
  await workspace?.[Symbol.asyncDispose]();
});

function send(method: string, path: string, body?: unknown) {
  return workspace.http.send({ method, path, token: workspace.token, body });
}

function write(path: string, text: string): Promise<void> {
  return writeFile(join(folder.path, path), text);
}

const HEAD = `import { Trellis, TrellisError } from '@trellis/client';
declare const process: { env: Record<string, string> };
const { BASE_URL = '', TOKEN = '' } = process.env;
const trellis = new Trellis({ baseUrl: BASE_URL, token: TOKEN });
`;

/** What a strict compiler says of a program; empty when it takes it. */
async function compile(code: string, name = 'program'): Promise<string> {
  await write(`src/${name}.ts`, HEAD + code);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2024',
    lib: ['es2025', 'dom', 'dom.iterable', 'esnext.disposable'],
    module: 'nodenext',
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    allowImportingTsExtensions: true,
    types: [],
    skipLibCheck: true,
  };
  const files = [`src/${name}.ts`, 'src/workspace.ts'];
  await write(`${name}.json`, JSON.stringify({ compilerOptions, files }));
  const tsc = join(MODULES, 'typescript/bin/tsc');
  return run(process.execPath, [tsc, '-p', `${name}.json`], { cwd: folder.path }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}

describe('a program with the types of its workspace', () => {
  test('compiles where it calls as endpoints say, and gets what they answer', async () => {
    const code = `
const [book] = await trellis.run('books/by-author', { author: 'Frank Herbert' });
const pages: number | undefined = book?.Pages;
const { word, 'total-times': times } = await trellis.run('books/counted', { word: 'a' });
const odd = await trellis.run('Odd.name_1-x/2nd', { 'with-dash': { name: 'a', kids: [{ name: 'b' }] } });
const name: string | undefined = odd.tree.kids?.[0]?.name;
const nothing: unknown = await trellis.run('nothing');
const anything: unknown = await trellis.run('anything', 7, { signal: new AbortController().signal });
const found = await trellis.system.search({ query: 'Dune' });
const refused = await trellis.run('books/counted', { word: 'a', times: 1.5 }).catch((error: unknown) => {
  if (!(error instanceof TrellisError)) throw error;
  return error.code === 'invalid_request' ? error.code : undefined;
});
const { items } = await trellis.users.list({ take: 1 });
console.log(JSON.stringify({ pages, word: word.length, times: times.toFixed(), name, pair: odd.pair[0], nothing, anything, found: typeof found, refused, users: items.length }));
`;
    expect(await compile(code)).toBe('');
    const env = { ...process.env, BASE_URL: workspace.server.url, TOKEN: workspace.token };
    const { stdout } = await run(process.execPath, ['src/program.ts'], { cwd: folder.path, env });
    expect(JSON.parse(stdout)).toEqual({
      pages: 412,
      word: 1,
      times: '1',
      name: 'b',
      pair: 'a',
      nothing: null,
      anything: 7,
      found: 'object',
      refused: 'invalid_request',
      users: 1,
    });
  });

  test('does not compile otherwise: each of these is one error', async () => {
    const wrong = [
      `await trellis.run('books/by-autor', { author: 'a' });`,
      `await trellis.run('books/by-author');`,
      `await trellis.run('books/by-author', {});`,
      `await trellis.run('books/by-author', { author: 7 });`,
      `await trellis.run('books/by-author', { author: 'a', tak: 1 });`,
      `(await trellis.run('books/by-author', { author: 'a' }))[0]?.Pags;`,
      `await trellis.run('books/counted', { times: 1 });`,
      `(await trellis.run('books/counted', { word: 'a' })).times;`,
      `await trellis.run('Odd.name_1-x/2nd', { 'with-dash': { name: 'a', kids: [{ nam: 'b' }] } });`,
      `(await trellis.run('Odd.name_1-x/2nd', { 'with-dash': { name: 'a' } })).pair[2];`,
      `(await trellis.run('nothing')).toFixed();`,
      `(await trellis.run('anything', 7)).toFixed();`,
      `await trellis.userz.list();`,
      `await trellis.run('nothing').catch((error: TrellisError) => error.code === 'not_a_code');`,
      `const escaped: Escaped = 1;`,
    ];
    const said = await compile(`${wrong.join('\n')}\n`, 'wrong');
    const first = HEAD.split('\n').length;
    const lines = [...said.matchAll(/^src\/wrong\.ts\((\d+),/gm)].map(([, line]) => Number(line));
    expect(lines, said).toEqual(wrong.map((_, at) => first + at));
  });

  test('names one of several workspaces itself', async () => {
    const code = `
interface Other { readonly ping: { readonly input: { readonly n: number }; readonly output: string } }
const other = new Trellis<Other>({ baseUrl: BASE_URL });
const call = async (): Promise<string> => other.run('ping', { n: 1 });
// @ts-expect-error It has no such endpoint.
const none = () => other.run('books/by-author', { author: 'a' });
console.log(call, none);
`;
    expect(await compile(code, 'several')).toBe('');
  });
});

test('the module changes with an endpoint, and not with time', async () => {
  const types = async () => (await send('GET', '/api/build/program-types')).text;
  const before = await types();
  expect(await types()).toBe(before);
  const code = 'export default ({ body }: Scope<{ more: boolean }>) => body.more;';
  await send('PUT', '/api/endpoints/nothing', { code });
  expect(await types()).toContain('readonly more: boolean;');
});

test('is for administrators', async () => {
  const { status } = await workspace.http.send({ path: '/api/build/program-types' });
  expect(status).toBe(401);
});
