import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA, startWorkspace, type TestWorkspace } from '../support/workspace.ts';

/**
 * A repository of a user's own: what docs/endpoints.md shows, with what `trellis types` wrote, and
 * packages beside it.
 */

const ROOT = join(import.meta.dirname, '../..');
const PACKAGES = ['@trellis/endpoint', '@types/node', 'undici-types', 'vitest', 'zod'];

let workspace: TestWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  const { path } = folder;
  for (const name of PACKAGES) {
    await mkdir(dirname(join(path, 'node_modules', name)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(path, 'node_modules', name));
  }
  await mkdir(join(path, 'endpoints'));
  await writeFile(join(path, 'package.json'), JSON.stringify({ type: 'module' }));
  for (const [name, code] of await documentedFiles()) await writeFile(join(path, name), code);
  workspace = await startWorkspace();
  const { http, token, server } = workspace;
  await http.send({ method: 'PUT', path: '/api/schema', token, body: LIBRARY_SCHEMA });
  const types = ['types', '--out', join(path, 'endpoints/trellis.d.ts')];
  const { code, stderr } = await runTrellis(types, { home: path, server: server.url, token });
  if (code !== 0) throw new Error(stderr);
});
afterAll(async () => {
  await workspace?.[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** The blocks of code of one section, by the name of the file in their first lines. */
async function documentedFiles(): Promise<[name: string, code: string][]> {
  const text = await readFile(join(ROOT, 'docs/endpoints.md'), 'utf8');
  const [, section = ''] = text.split('\n## Test an endpoint\n');
  const [own = ''] = section.split('\n## ');
  const blocks = own.matchAll(/^```ts\n\/\/ (\S+)\n([^]*?)^```$/gm);
  return [...blocks].map(([, name = '', code = '']) => [name, code]);
}

function run(
  program: string,
  ...args: readonly string[]
): Promise<{ code: unknown; output: string }> {
  return new Promise((resolve) => {
    const options = { cwd: folder.path, env: { PATH: process.env['PATH'] } };
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : error.code, output: stdout + stderr });
    });
  });
}

test('the example of the documentation passes in the test runner of Node', async () => {
  const { code, output } = await run('--test', 'endpoints/books-by.test.ts');
  expect([code, output]).toEqual([0, expect.stringContaining('pass 1')]);
});

test('and fails when the endpoint is wrong', async () => {
  const file = join(folder.path, 'endpoints/books-by.ts');
  const code = await readFile(file, 'utf8');
  try {
    await writeFile(file, code.replace('.asUser()', ''));
    const outcome = await run('--test', 'endpoints/books-by.test.ts');
    expect([outcome.code, outcome.output]).toEqual([1, expect.stringContaining("'Draft'")]);
  } finally {
    await writeFile(file, code);
  }
});

test('its types are those that the server wrote', async () => {
  // The one that the command shows, as its reader copies it.
  const help = await runTrellis(['types', '--help'], { home: folder.path, server: '' });
  const [configuration = ''] = /^\{$[^]*?^\}$/m.exec(help.stdout) ?? [];
  await writeFile(join(folder.path, 'tsconfig.json'), configuration);
  await writeFile(
    join(folder.path, 'endpoints/wrong.ts'),
    `import { testWorkspace } from '@trellis/endpoint/testing';
const workspace = await testWorkspace();
await workspace.evaluate(({ q }: Scope) => q().startAt('Boook').count());
await workspace.evaluate(({ q }: Scope) => q().startAt('Book').nodes(['Title']));
`,
  );
  const require = createRequire(import.meta.url);
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const { output } = await run(compiler, '-p', '.', '--pretty', 'false');
  expect(
    output
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith(' ')),
  ).toEqual([expect.stringMatching(/^endpoints\/wrong\.ts\(3,.*Boook/)]);
});

test('runs in vitest, from a file too, and shows where an endpoint failed', async () => {
  await writeFile(
    join(folder.path, 'endpoints/vitest.test.ts'),
    `import { expect, it } from 'vitest';
import { testWorkspace } from '@trellis/endpoint/testing';
import * as booksBy from './books-by.ts';

const schema = { nodes: [{ type: 'Author', key: 'Name', fields: {} }, { type: 'Book', fields: {} }], edges: [{ type: 'WrittenBy' }] };

it('gives nothing for nobody', async () => {
  await using workspace = await testWorkspace({ schema, users: [{ name: 'ada' }] });
  const run = { body: { author: 'x' }, user: 'ada' };
  expect(await workspace.run(booksBy, run)).toEqual({ status: 200, body: [] });
  const file = new URL('./books-by.ts', import.meta.url);
  expect(await workspace.run(file, run)).toEqual({ status: 200, body: [] });
  expect(workspace.logs.length).toBe(2);
});

it('fails', async () => {
  await using workspace = await testWorkspace();
  await workspace.run(function broken() { throw new TypeError('on purpose'); });
});
`,
  );
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const { code, output } = await run(vitest, 'run', 'endpoints/vitest.test.ts', '--no-color');
  expect([code, output]).toEqual([1, expect.stringContaining('1 failed | 1 passed')]);
  expect(output).toContain('TypeError: on purpose');
  expect(output).toMatch(/broken .*vitest\.test\.ts:18:49/);
});
