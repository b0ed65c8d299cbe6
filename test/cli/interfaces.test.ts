import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let at: TestWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  at = await startWorkspace();
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const run = (args: readonly string[], token = at.token) =>
  runTrellis(['interface', ...args], { home: folder.path, server: at.server.url, token });

test('a folder is pushed with a token for that, chosen by an administrator, and left again', async () => {
  const dist = join(folder.path, 'dist');
  await mkdir(join(dist, 'sous-dossier é'), { recursive: true });
  await writeFile(join(dist, 'index.html'), '<!doctype html><title>ours</title>');
  await writeFile(join(dist, 'sous-dossier é/a b.js'), 'let a;');
  const create = ['token', 'create', 'interface', 'deploy'];
  const { stdout } = await runTrellis(create, {
    home: folder.path,
    server: at.server.url,
    token: at.token,
  });
  const pushed = await run(['push', dist, '--name', 'ours'], stdout.trim());
  expect([pushed.code, pushed.stderr]).toEqual([
    0,
    expect.stringContaining('Uploaded 2 files, 40 bytes, as "ours"'),
  ]);
  expect((await run(['choose', 'ours'], stdout.trim())).code).toBe(1);
  expect((await run(['choose', 'ours'])).code).toBe(0);
  const served = await at.http.send({ path: '/sous-dossier%20%C3%A9/a%20b.js' });
  expect(served.text).toBe('let a;');

  const inUse = await run(['delete', 'ours']);
  expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringContaining('Choose another one')]);
  for (const args of [
    ['choose', '--built-in'],
    ['delete', 'ours'],
  ]) {
    expect((await run(args)).code, args.join(' ')).toBe(0);
  }
  expect(JSON.parse((await run(['list', '--json'])).stdout)).toEqual([]);
});

test('what cannot be an interface is refused, with what to do', async () => {
  const file = join(folder.path, 'ours.zip');
  await writeFile(file, 'no zip');
  const { code, stderr } = await run(['push', file, '--name', 'ours']);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/cannot be read.*\n.*index\.html/s)]);
  const missing = await run(['choose', 'nowhere']);
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringContaining('there is no interface "nowhere"'),
  ]);
});
