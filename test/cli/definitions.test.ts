import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { DefinitionsScene } from '../support/definitions-scene.ts';
import { CODE, defineEverything } from '../support/every-definition.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

let at: DefinitionsScene;
let home: Awaited<ReturnType<typeof temporaryFolder>>;
let folder: string;
beforeAll(async () => {
  home = await temporaryFolder();
  at = await DefinitionsScene.start();
  await defineEverything(at);
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
});
beforeEach(async ({ task }) => {
  folder = join(home.path, task.id);
  expect((await run('pull', folder)).code).toBe(0);
});

const RECORD = '.trellis-definitions.json';
const LOOKUP = 'endpoints/words/lookup.ts';

const run = (...args: readonly string[]) => {
  const { server, token } = at.workspace;
  return runTrellis(args, { home: home.path, server: server.url, token });
};
const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');
const write = (path: string, text: string): Promise<void> => writeFile(join(folder, path), text);
async function files(): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const found = entries.filter((entry) => entry.isFile());
  return found
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
}

test('what is pulled is what an export has, and differs in nothing', async () => {
  const exported = await at.exportedFiles();
  expect(await files()).toEqual([RECORD, ...Object.keys(exported)].toSorted());
  for (const [path, text] of Object.entries(exported)) expect(await read(path)).toBe(text);
  expect(await run('pull', folder)).toMatchObject({
    code: 0,
    stderr: `${folder} is what the workspace is.\n`,
  });
  for (const args of [[], ['--mirror']]) {
    expect(await run('diff', folder, ...args)).toEqual({ code: 0, stdout: '', stderr: '' });
  }
  const pushed = await run('push', folder, '--mirror');
  expect([pushed.code, pushed.stderr]).toEqual([
    0,
    expect.stringContaining('Created 0, changed 0, deleted 0, unchanged 17, failed 0.'),
  ]);
});

test('a change is shown by diff and by a dry run, and made by push', async () => {
  await write(LOOKUP, CODE.replace('word: body.word', 'word: body.word, more: true'));
  await write('notes.txt', 'mine');
  const shown = await run('diff', folder);
  expect([shown.code, shown.stderr]).toEqual([1, 'changed endpoint words/lookup\n']);
  expect(shown.stdout).toContain(
    '--- a/endpoints/words/lookup.ts\n+++ b/endpoints/words/lookup.ts',
  );
  const dry = await run('push', folder, '--dry-run', '--json');
  expect([dry.code, JSON.parse(dry.stdout).totals.changed]).toEqual([0, 1]);
  expect(dry.stderr).toContain('Would change the endpoint "words/lookup".');
  expect(await at.ok('GET', '/api/endpoints/words/lookup')).toMatchObject({ version: 1 });
  const pushed = await run('push', folder);
  expect([pushed.code, pushed.stderr]).toEqual([
    0,
    expect.stringContaining('Changed the endpoint "words/lookup".\n'),
  ]);
  expect(await at.ok('GET', '/api/endpoints/words/lookup')).toMatchObject({ version: 2 });
  expect((await run('diff', folder)).code).toBe(0);
});

test('what fails makes the exit code 1, and nothing is done', async () => {
  await write('endpoints/broken.ts', 'export default () => nothing;\n');
  await write('endpoints/broken.json', '{"isReadOnly": true}');
  await write('endpoints/fine.ts', CODE);
  const shown = await run('diff', folder);
  expect(shown.code).toBe(1);
  expect(shown.stderr).toContain('failed endpoint broken: The code does not compile');
  const pushed = await run('push', folder);
  expect(pushed.code).toBe(1);
  expect(pushed.stderr).toContain('Failed: the endpoint "broken": The code does not compile');
  expect(pushed.stderr).toContain('Nothing was changed: 1 of 19 definitions failed.');
  expect((await at.exportedFiles())['endpoints/fine.ts']).toBeUndefined();
  await rm(join(folder, 'endpoints/broken.ts'));
  await rm(join(folder, 'endpoints/broken.json'));
  expect((await run('push', folder)).code).toBe(0);
  await at.ok('GET', '/api/endpoints/fine');
  await rm(join(folder, 'endpoints/fine.ts'));
  const mirrored = await run('push', folder, '--mirror');
  expect([mirrored.code, mirrored.stderr]).toEqual([
    0,
    expect.stringContaining('Deleted the endpoint "fine".'),
  ]);
});

test('pull deletes what it has written, and nothing that is somebody else’s', async () => {
  await at.ok('POST', '/api/endpoints/create', { name: 'gone/one', code: CODE });
  await at.ok('POST', '/api/endpoints/create', { name: 'gone/two', code: CODE });
  expect((await run('pull', folder)).code).toBe(0);
  await write('endpoints/gone/two.ts', '// my work');
  await write('endpoints/mine.txt', 'mine');
  await at.ok('DELETE', '/api/endpoints/gone/one');
  await at.ok('DELETE', '/api/endpoints/gone/two');
  const pulled = await run('pull', folder);
  expect([pulled.code, pulled.stderr.split('\n').toSorted()]).toEqual([
    0,
    [
      '',
      'Deleted endpoints/gone/one.json',
      'Deleted endpoints/gone/one.ts',
      'Deleted endpoints/gone/two.json',
      'Kept endpoints/gone/two.ts: it is not in the workspace, but was changed here.',
    ],
  ]);
  expect(await files()).toEqual(
    expect.arrayContaining(['endpoints/gone/two.ts', 'endpoints/mine.txt']),
  );
});

test('pull does not overwrite what was changed here, unless it is forced to', async () => {
  await write('agents/librarian.md', 'My own words.\n');
  const refused = await run('pull', folder);
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('agents/librarian.md would be overwritten'),
  ]);
  expect(await read('agents/librarian.md')).toBe('My own words.\n');
  const forced = await run('pull', folder, '--force');
  expect([forced.code, forced.stderr]).toEqual([0, 'Wrote agents/librarian.md\n']);
});

test('pull writes nothing through a link, and deletes nothing outside for a forged record', async () => {
  const outside = join(home.path, 'outside');
  await mkdir(outside, { recursive: true });
  await writeFile(join(outside, 'lookup.ts'), 'theirs');
  await rm(join(folder, 'endpoints/words'), { recursive: true });
  await symlink(outside, join(folder, 'endpoints/words'));
  const linked = await run('pull', folder, '--force');
  expect([linked.code, linked.stderr]).toEqual([1, expect.stringContaining('is a link')]);
  expect(await readFile(join(outside, 'lookup.ts'), 'utf8')).toBe('theirs');
  await rm(join(folder, 'endpoints/words'));
  const digest = '4d3e32f2a3aa0a1a9a8ee2f6ec8d6a4f';
  const forged = ['../outside/lookup.ts', 'endpoints/../../outside/lookup.ts', '/etc/hosts'];
  const record = { files: Object.fromEntries(forged.map((path) => [path, digest])) };
  await write(RECORD, JSON.stringify(record));
  const pulled = await run('pull', folder, '--force');
  expect([pulled.code, pulled.stderr]).toEqual([0, expect.not.stringContaining('outside')]);
});

test('a folder without a manifest is none', async () => {
  const empty = join(home.path, 'empty');
  await mkdir(empty, { recursive: true });
  for (const command of ['push', 'diff']) {
    const { code, stderr } = await run(command, empty);
    expect([code, stderr]).toEqual([1, expect.stringContaining('has no manifest.json')]);
  }
});
