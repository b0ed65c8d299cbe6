import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { glob, mkdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { requireChromium } from '../support/requires.ts';
import { installSdk, SDK } from '../support/sdk-package.ts';
import { ADMIN_PASSWORD, temporaryFolder } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';
import { zipOf } from '../support/zip.ts';

/** The SDK as it is given away, alone in a folder, in each runtime that programs are run by. */

const run = promisify(execFile);
const isArm = process.arch === 'arm64';
/** Runtimes come as packages that hold the one program. */
const RUNTIMES = {
  deno: { is: `@deno/linux-${process.arch}-glibc@2.9.6`, program: 'deno', args: ['run', '-A'] },
  bun: {
    is: `@oven/bun-linux-${isArm ? 'aarch64' : 'x64-baseline'}@1.4.5`,
    program: 'bin/bun',
    args: ['run'],
  },
  'node-20': { is: `node-linux-${process.arch}@20.20.2`, program: 'bin/node', args: [] },
  'node-22': { is: `node-linux-${process.arch}@22.23.3`, program: 'bin/node', args: [] },
} as const;

const PROGRAM = `
import { nodeUid, Trellis, TrellisError } from '@trellis/client';

const codeOf = (error) => (error instanceof TrellisError ? error.code : String(error));

export async function main(baseUrl, password) {
  const trellis = new Trellis({ baseUrl });
  const refused = await trellis.signIn('admin', 'wrong').catch(codeOf);
  await trellis.signIn('admin', password);
  const { items } = await trellis.users.list({ query: 'admin' });
  const dune = { op: 'addOrUpdate', type: 'Book', key: 'dune', fields: { Title: 'Dune' } };
  await trellis.graph.ingest([dune]);
  // Browsers stream a request over HTTP/2 or later only.
  if (typeof document === 'undefined') await trellis.graph.ingestStream([dune], { gzip: true });
  const book = await trellis.run('book', { key: 'dune' });
  const wrong = await trellis.run('book', { key: 7 }).catch(codeOf);
  const controller = new AbortController();
  const aborted = trellis.run('endless', {}, { signal: controller.signal }).catch((error) => error.message);
  controller.abort(new Error('gone'));
  const file = await trellis.files.uploadInPieces(book.UID, \`\${Math.random()}.txt\`, new Blob(['Hello']));
  const bytes = await new Response(await trellis.files.download(file.UID)).text();
  await trellis.signOut();
  const after = await trellis.users.list().catch(codeOf);
  return { refused, users: items.length, title: book.Title, isUid: book.UID === nodeUid('Book', 'dune'), wrong, aborted: await aborted, bytes, after };
}
`;
const EXPECTED = {
  refused: 'invalid_credentials',
  users: 1,
  title: 'Dune',
  isUid: true,
  wrong: 'invalid_request',
  aborted: 'gone',
  bytes: 'Hello',
  after: 'missing_token',
};

let at: TestWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  at = await startWorkspace();
  folder = await temporaryFolder();
  await admin('PUT', '/api/schema', LIBRARY_SCHEMA);
  await admin('POST', '/api/endpoints/create', {
    name: 'book',
    code: `export default ({ body, graph }: Scope<{ key: string }>) => graph.get('Book', body.key);`,
  });
  await admin('POST', '/api/endpoints/create', {
    name: 'endless',
    code: 'export default () => { for (;;); };',
  });
  await writeFile(join(folder.path, 'package.json'), '{ "type": "module" }');
  const aliases = Object.entries(RUNTIMES).map(([name, { is }]) => `${name}@npm:${is}`);
  const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--no-save'];
  await run('npm', ['install', ...quiet, ...aliases], { cwd: folder.path });
  installSdk(folder.path);
  await writeFile(join(folder.path, 'program.js'), PROGRAM);
  const start = `import { main } from './program.js';
const [, , baseUrl, password] = process.argv;
console.log(JSON.stringify(await main(baseUrl, password)));
`;
  await writeFile(join(folder.path, 'start.js'), start);
});
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
  await at?.[Symbol.asyncDispose]();
});

async function admin(method: string, path: string, body: unknown): Promise<void> {
  const answer = await at.http.send({ method, path, token: at.token, body });
  expect(answer.status, answer.text).toBeLessThan(300);
}

describe('the SDK runs', () => {
  test.each(Object.entries(RUNTIMES))('in %s', async (name, { program, args }) => {
    const file = join(folder.path, 'node_modules', name, program);
    const all = [...args, 'start.js', at.server.url, ADMIN_PASSWORD];
    const { stdout } = await run(file, all, { cwd: folder.path });
    expect(JSON.parse(stdout)).toEqual(EXPECTED);
  });

  test('in the Node of the server', async () => {
    const args = ['start.js', at.server.url, ADMIN_PASSWORD];
    const { stdout } = await run(process.execPath, args, { cwd: folder.path });
    expect(JSON.parse(stdout)).toEqual(EXPECTED);
  });
});

describe.skipIf(requireChromium())('the SDK runs', () => {
  const browser = useBrowser();

  test('in a browser, as it is', async () => {
    const files: Record<string, string> = {
      'index.html':
        '<!doctype html><title>waits</title><script type="module" src="page.js"></script>',
      'page.js': `import { main } from './program.js';
const answer = await main(document.baseURI, ${JSON.stringify(ADMIN_PASSWORD)}).catch(String);
document.title = JSON.stringify(answer);
`,
      'program.js': PROGRAM.replace('@trellis/client', './sdk/trellis.js'),
    };
    const sources = join(folder.path, SDK, 'src');
    for await (const path of glob('**/*.js', { cwd: sources })) {
      if (path !== 'react.js') files[`sdk/${path}`] = readFileSync(join(sources, path), 'utf8');
    }
    const zip = await zipOf(files);
    const headers = { 'content-type': 'application/zip' };
    const put = { method: 'PUT', path: '/api/interfaces/sdk', token: at.token, headers, body: zip };
    expect((await at.http.send(put)).status).toBeLessThan(300);
    await admin('PUT', '/api/workspace/settings', { interface: 'sdk' });
    await using shown = await browser.page(at);
    await expect.poll(() => shown.page.title()).not.toBe('waits');
    expect(JSON.parse(await shown.page.title())).toEqual(EXPECTED);
    expect(shown.complaints).toEqual([]);
  });
});

test('its types need no other package, and a strict compiler takes all of them', async () => {
  const own = join(folder.path, 'typed');
  await mkdir(own);
  const code = `import { Trellis, TrellisError } from '@trellis/client';
const trellis = new Trellis({ baseUrl: 'https://graph.example.org' });
const { items } = await trellis.users.list({ take: 1 });
export const name: string | undefined = items[0]?.UserName;
// @ts-expect-error It is a text.
export const wrong: number = items[0]?.UserName;
// @ts-expect-error There is no such query.
await trellis.users.list({ tak: 1 });
// @ts-expect-error There is no such code.
export const isGone = (error: TrellisError): boolean => error.code === 'gone';
`;
  await writeFile(join(own, 'program.ts'), code);
  const modules = resolve(import.meta.dirname, '../../node_modules');
  const tsc = join(modules, 'typescript/bin/tsc');
  const libraries = 'es2024,dom,dom.iterable,esnext.disposable';
  const options = [
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--lib',
    libraries,
    '--target',
    'es2024',
  ];
  const { stdout } = await run(process.execPath, [tsc, ...options, '--types', '', 'program.ts'], {
    cwd: own,
  }).catch((failed: { stdout: string }) => failed);
  expect(stdout).toBe('');
  const manifest = JSON.parse(readFileSync(join(folder.path, SDK, 'package.json'), 'utf8'));
  expect(manifest.dependencies).toEqual({});
  const outside: string[] = [];
  for await (const path of glob('**/*.{js,d.ts}', { cwd: join(folder.path, SDK) })) {
    const text = readFileSync(join(folder.path, SDK, path), 'utf8');
    const named = [...text.matchAll(/^(?:import|export) .*from ['"]([^.'"][^'"]*)['"]/gm)];
    for (const [, name = ''] of named) outside.push(`${relative('.', path)}: ${name}`);
  }
  expect(outside.filter((line) => !/src\/react\.(?:js|d\.ts): react$/.test(line))).toEqual([]);
});
