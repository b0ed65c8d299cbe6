import { execFile } from 'node:child_process';
import { cp, glob, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useBrowser } from '../support/browser.ts';
import { says } from '../support/llm-server.ts';
import { LlmWorkspace } from '../support/llm-workspace.ts';
import { requireChromium } from '../support/requires.ts';
import { installSdk } from '../support/sdk-package.ts';
import { ADMIN_PASSWORD, temporaryFolder } from '../support/trellis-process.ts';
import { zipOf } from '../support/zip.ts';

/** The web application of `trellis init --template web-app`, over the SDK as it is packaged. */

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const TEMPLATE = join(ROOT, 'cli/templates/web-app');
const LINES_MAX = 300;

let at: LlmWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  at = await LlmWorkspace.start();
  folder = await temporaryFolder();
  await at.use('openai-compatible');
  await cp(TEMPLATE, folder.path, { recursive: true });
  await mkdir(join(folder.path, 'node_modules'));
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (name === '@trellis' || name.startsWith('.')) continue;
    await symlink(join(ROOT, 'node_modules', name), join(folder.path, 'node_modules', name));
  }
  installSdk(folder.path);
  await admin(
    'PUT',
    '/api/schema',
    JSON.parse(await readFile(join(TEMPLATE, 'schema.json'), 'utf8')),
  );
  for await (const path of glob('**/*.ts', { cwd: join(TEMPLATE, 'endpoints') })) {
    const code = await readFile(join(TEMPLATE, 'endpoints', path), 'utf8');
    const name = path.replace(/\.ts$/, '');
    const [, description = ''] = /^\/\/ trellis: description (.*)$/m.exec(code) ?? [];
    const isReadOnly = code.includes('// trellis: readOnly');
    const body = { name, code, description, isReadOnly };
    expect(await admin('POST', '/api/endpoints/create', body)).toMatchObject({ diagnostics: [] });
  }
});
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
  await at?.[Symbol.asyncDispose]();
});

async function admin(method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await at.people.as('admin', method, path, body);
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer.json ?? answer.text;
}

test('is short', async () => {
  let lines = 0;
  for await (const path of glob('{*.{ts,html},src/*,endpoints/**/*.ts}', { cwd: TEMPLATE })) {
    if (path === 'src/workspace.ts') continue;
    lines += (await readFile(join(TEMPLATE, path), 'utf8')).split('\n').length - 1;
  }
  expect(lines).toBeGreaterThan(100);
  expect(lines).toBeLessThan(LINES_MAX);
});

test('has the types that its workspace gives: `npm run types` writes them', async () => {
  const { text } = await at.people.as('admin', 'GET', '/api/build/program-types');
  await expect(text).toMatchFileSnapshot(join(TEMPLATE, 'src/workspace.ts'));
});

test('compiles, and no longer when it calls an endpoint in another way', async () => {
  const tsc = (...more: readonly string[]) =>
    run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--noEmit', ...more], {
      cwd: folder.path,
    }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    );
  expect(await tsc()).toBe('');
  const file = join(folder.path, 'src/books.tsx');
  const text = await readFile(file, 'utf8');
  await writeFile(
    file,
    text.replace('{ author })', '{ autor: author })').replace('AuthorName }', 'Autor }'),
  );
  expect(await tsc()).toMatch(/autor.*\n[^]*Autor/);
  await writeFile(file, text);
});

describe.skipIf(requireChromium())('in a browser', () => {
  const browser = useBrowser();

  test('signs in, adds and finds books, talks with the assistant, and signs out', async () => {
    const vite = join(ROOT, 'node_modules/vite/bin/vite.js');
    await run(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd: folder.path });
    const files: Record<string, Buffer> = {};
    for await (const path of glob('**/*.*', { cwd: join(folder.path, 'dist') })) {
      files[path] = await readFile(join(folder.path, 'dist', path));
    }
    const { workspace } = at.people;
    const put = await workspace.http.send({
      method: 'PUT',
      path: '/api/interfaces/books',
      token: at.people.token('admin'),
      headers: { 'content-type': 'application/zip' },
      body: await zipOf(files),
    });
    expect(put.status, put.text).toBeLessThan(300);
    await admin('PUT', '/api/workspace/settings', { interface: 'books' });
    at.provider.script.turn = () => says('Dune is a book.');

    await using shown = await browser.page(workspace);
    const { page } = shown;
    await page.getByLabel('User').fill('admin');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(ADMIN_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('No books yet.').waitFor();

    const add = async (isbn: string, title: string, by: string): Promise<void> => {
      await page.getByLabel('ISBN').fill(isbn);
      await page.getByLabel('Title').fill(title);
      await page.getByLabel('By', { exact: true }).fill(by);
      await page.getByRole('button', { name: 'Add' }).click();
      await page.getByRole('listitem').getByText(title).waitFor();
    };
    await add('1', 'Dune', 'Frank Herbert');
    await add('2', 'The Dispossessed', 'Ursula K. Le Guin');
    await page.getByLabel('Author').fill('Guin');
    const found = () => page.getByRole('listitem').allInnerTexts();
    await expect.poll(found).toEqual(['The Dispossessed by Ursula K. Le Guin']);
    // Somebody else adds one: the endpoint is watched.
    const book = { isbn: '3', title: 'Lavinia', author: 'Ursula K. Le Guin' };
    await admin('POST', '/api/endpoints/run/books/add', book);
    await page.getByRole('listitem').getByText('Lavinia').waitFor();

    await page.getByLabel('Message').fill('What is Dune?');
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByText('Dune is a book.').waitFor();
    await page.getByRole('button', { name: 'Ask' }).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(shown.complaints).toEqual([]);
  });
});
