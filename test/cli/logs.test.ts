import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  workspace = await startWorkspace();
  for (const name of ['one', 'two']) await workspace.http.send({ path: `/api/marks/${name}` });
});
afterAll(async () => {
  await workspace[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const logs = (...args: string[]) =>
  runTrellis(['logs', ...args], {
    home: folder.path,
    server: workspace.server.url,
    token: workspace.token,
  });

test('search shows records, the newest last', async () => {
  const { code, stdout } = await logs('search', 'MARKS/', '--level', 'info');
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^\S+Z info  There is no GET \/api\/marks\/one\. \{.*\}$/),
    expect.stringMatching(/^\S+Z info  There is no GET \/api\/marks\/two\. \{.*\}$/),
  ]);
  const [record] = JSON.parse((await logs('search', 'marks/', '--take', '1', '--json')).stdout);
  expect(record).toMatchObject({ level: 'info', fields: { path: '/api/marks/two' } });
  expect((await logs('search', '--level', 'loud')).code).toBe(2);
});

test('tail ends at the given time', async () => {
  expect(await logs('tail', '--to', '2020-01-01T00:00:00Z')).toMatchObject({ code: 0, stdout: '' });
});

test('download prints lines of JSON, or writes them into a file', async () => {
  const { stdout } = await logs('download', 'marks/');
  const lines = stdout.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).path)).toEqual(['/api/marks/one', '/api/marks/two']);
  const out = join(folder.path, 'marks.log');
  expect(await logs('download', 'marks/', '--out', out)).toMatchObject({ code: 0, stdout: '' });
  expect(await readFile(out, 'utf8')).toBe(stdout);
});

test('without log files it says so', async () => {
  const files = await logs('files', '--json');
  expect([files.code, files.stdout]).toEqual([0, '[]\n']);
  expect(files.stderr).toContain('MSK_LOG_PATH is not set');
  const download = await logs('download', '--file', 'trellis-2026-11-20.log');
  expect(download.code).toBe(1);
  expect(download.stderr).toContain('This server writes no log files');
});
