import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { field, HttpClient, valueAt } from '../support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await startWorkspace();
  await send('PUT', '/api/schema', LIBRARY_SCHEMA);
});
afterAll(() => workspace[Symbol.asyncDispose]());

function send(method: string, path: string, body?: unknown) {
  return workspace.http.send({ method, path, token: workspace.token, body });
}

async function create(name: string, body: string, more: object = {}): Promise<string> {
  const code = `export default async function ({ graph, q }: Scope) {\n  ${body}\n}\n`;
  const created = await send('POST', '/api/endpoints/create', { name, code, ...more });
  expect(created.status).toBe(201);
  return String(field(created.json, 'UID'));
}

/** Asks until the caches are warm. */
async function failing(): Promise<unknown> {
  await expect.poll(async () => valueAt((await status()).json, 'Pending')).toBe(false);
  return valueAt((await status()).json, 'FailingIds');
}

const status = () => send('GET', '/api/build/compile-status');

describe('compile status', () => {
  test('names what does not compile, also after a change of the schema', async () => {
    const good = await create('build/good', "return q().startAt('Book').count();");
    const draft = await create('build/draft', "return q().startAt('Bok').count();");
    expect(await failing()).toEqual([draft]);

    // It adds an `Int` to a number, which a `Long` is not always.
    const sum = await create(
      'build/sum',
      "return ((await graph.tryGet('Book', 'b'))?.Pages ?? 0).toFixed();",
    );
    expect(await failing()).toEqual([draft]);
    const [book, ...others] = LIBRARY_SCHEMA.nodes;
    const wider = { ...book, fields: { ...book?.fields, Pages: 'Long' } };
    const changed = await send('PUT', '/api/schema', {
      ...LIBRARY_SCHEMA,
      nodes: [wider, ...others],
    });
    expect(changed.status).toBe(200);
    expect(valueAt((await status()).json, 'Pending')).toBe(true);
    expect(await failing()).toEqual([draft, sum]);
    // What is served goes on being served, and what was saved stays as it was.
    expect((await send('POST', '/api/endpoints/run/build/sum')).json).toBe('0');
    expect((await send('GET', '/api/endpoints/build/sum')).json).toMatchObject({ compiles: true });

    const catalog = await send('GET', '/api/build/catalog');
    const flags = Object(catalog.json).items.map(({ uid, compiles }: Record<string, unknown>) => [
      uid,
      compiles,
    ]);
    expect(Object.fromEntries(flags)).toMatchObject({ [good]: true, [draft]: false, [sum]: false });
  });
});

test('after a start the caches are cold, and what is stored is said until they are warm', async () => {
  await using own = await startWorkspace();
  const code = 'export default () => nothing;';
  const created = await own.http.send({
    method: 'POST',
    path: '/api/endpoints/create',
    token: own.token,
    body: { name: 'draft', code },
  });
  await own.server.stop();
  await using server = await TrellisProcess.start({ storage: own.storage });
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  const ask = async () => (await http.send({ path: '/api/build/compile-status', token })).json;
  const FailingIds = [field(created.json, 'UID')];
  expect(await ask()).toEqual({ FailingIds, Pending: true });
  await expect.poll(ask).toEqual({ FailingIds, Pending: false });
});

test('the catalog has every endpoint with its folder and flags, and no code', async () => {
  await create('top', 'return 1;', { isReadOnly: true });
  await create('deep/er/leaf', 'return 1;');
  const { status: code, json, text } = await send('GET', '/api/build/catalog');
  expect(code).toBe(200);
  expect(text).not.toContain('export default');
  const items: Record<string, unknown>[] = Object(json).items;
  const names = items.map(({ name }) => String(name));
  expect(names).toEqual(names.toSorted());
  expect(items).toContainEqual({
    uid: expect.stringMatching(/^\w{22}$/),
    kind: 'endpoint',
    name: 'deep/er/leaf',
    folder: 'deep/er',
    isReadOnly: false,
    mayRunOnPrimary: false,
    isBuiltIn: false,
    compiles: true,
    updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    updatedBy: { uid: expect.stringMatching(/^\w{22}$/), name: 'admin' },
  });
  expect(items.find(({ name }) => name === 'top')).toMatchObject({ folder: '', isReadOnly: true });
});

describe('the types', () => {
  test('are those of the live schema, of either scope, as text', async () => {
    const full = await send('GET', '/api/build/types');
    expect(full.headers.get('content-type')).toContain('text/plain');
    expect(full.text).toContain('interface BookNode extends NodeBase {');
    expect(full.text).toContain('readonly Title?: string;');
    expect(full.text).toMatch(/WrittenBy: unknown;/);
    const readOnly = await send('GET', '/api/build/types?scope=read-only');
    expect(readOnly.text).not.toBe(full.text);
    expect((await send('GET', '/api/build/types?scope=other')).status).toBe(400);
  });

  test('let TypeScript itself find in a folder what the server finds', async () => {
    await using folder = await temporaryFolder();
    const write = (name: string, text: string) => writeFile(join(folder.path, name), text);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      target: 'es2024',
      lib: ['es2024'],
      types: [],
      module: 'esnext',
      moduleDetection: 'force',
      erasableSyntaxOnly: true,
      skipLibCheck: true,
    };
    const titles = (member: string) => `export default async function ({ q }: Scope) {
  const books = await q().startAt('Book').out('Author', 'WrittenBy').in('Book').nodes();
  return books.map((book) => book.${member});\n}\n`;
    const input = 'export const input = z.object({ n: z.number() });\n';
    await Promise.all([
      write('tsconfig.json', JSON.stringify({ compilerOptions })),
      write('trellis.d.ts', (await send('GET', '/api/build/types')).text),
      write('good.ts', titles('Title')),
      write('checked.ts', `${input}export default ({ body }: Scope<typeof input>) => body;\n`),
      write('bad.ts', titles('Titel')),
    ]);
    const tsc = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder.path]).catch(
      (failed: { readonly stdout: string }) => failed,
    );
    const checked = await send('POST', '/api/endpoints/check', { code: titles('Titel') });
    const [found] = Object(checked.json).diagnostics;
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringContaining(`bad.ts(${found.line},${found.column}): error TS${found.code}:`),
    ]);
  });

  test('are given to tokens with the scope "read", and to no other', async () => {
    for (const [scope, expected] of [
      ['read', 200],
      ['search', 403],
    ] as const) {
      const made = await send('POST', '/api/tokens', {
        kind: 'api',
        name: `types ${scope}`,
        scopes: [scope],
      });
      const token = String(field(made.json, 'token'));
      expect((await workspace.http.send({ path: '/api/build/types', token })).status).toBe(
        expected,
      );
    }
  });
});
