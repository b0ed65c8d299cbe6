import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTrellis } from '../support/command-line.ts';
import { FileScene } from '../support/file-scene.ts';
import { temporaryFolder } from '../support/trellis-process.ts';

let at: FileScene;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
beforeAll(async () => {
  folder = await temporaryFolder();
  at = await FileScene.start();
});
afterAll(async () => {
  await at[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const run = (...args: readonly string[]) =>
  runTrellis(['file', ...args], {
    home: folder.path,
    server: at.workspace.server.url,
    token: at.workspace.token,
  });

async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, content);
  return path;
}

test('files are uploaded, listed, downloaded and deleted', async () => {
  const large = Buffer.alloc(9_000_000, 'abcdefg');
  const paths = [await fileOf('plan é.csv', 'a,b\n'), await fileOf('large.bin', large)];
  const uploaded = await run('upload', at.notes.open, ...paths);
  expect([uploaded.code, uploaded.stderr]).toEqual([
    0,
    'Uploaded plan é.csv, 4 bytes.\nUploaded large.bin, 9000000 bytes.\n',
  ]);
  const [plan = '', bin = ''] = uploaded.stdout.trim().split('\n');
  const listed = await run('list', at.notes.open, '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { UID: bin, Name: 'large.bin', Size: large.length, ContentType: 'application/octet-stream' },
    { UID: plan, Name: 'plan é.csv', ContentType: 'text/csv' },
  ]);
  expect((await run('list', at.notes.open)).stdout).toMatch(/^NAME +BYTES +TYPE +TEXT/);

  expect((await run('download', plan, '--out', '-')).stdout).toBe('a,b\n');
  const out = join(folder.path, 'out.bin');
  expect((await run('download', bin, '--out', out)).code).toBe(0);
  expect((await readFile(out)).equals(large)).toBe(true);
  expect(await readdir(folder.path)).not.toContain('out.bin.part');
  const again = await run('download', bin, '--out', out);
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('--out')]);

  for (const uid of [plan, bin]) expect((await run('delete', uid)).code).toBe(0);
  expect((await run('delete', plan)).code).toBe(1);
  expect(JSON.parse((await run('list', at.notes.open, '--json')).stdout)).toEqual([]);
});

test('an upload that was interrupted is gone on with', async () => {
  const path = await fileOf('half.txt', 'first and second');
  const upload = { name: 'whole.txt', size: 16, contentType: 'text/plain' };
  const { id } = await at.ok('admin', 'POST', `/api/node/${at.notes.open}/uploads`, upload);
  await at.append(id, 0, 'first ');
  const { code, stdout } = await run('upload', at.notes.open, path, '--resume', id);
  expect(code).toBe(0);
  expect((await run('download', stdout.trim(), '--out', '-')).stdout).toBe('first and second');
});

test('what cannot be is refused', async () => {
  const path = await fileOf('a.txt', 'a');
  expect((await run('upload', at.notes.open, path, path, '--name', 'b')).code).toBe(2);
  expect((await run('upload', at.notes.open, join(folder.path, 'nowhere'))).code).toBe(1);
  const missing = await run('list', '1111111111111111111111');
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('no such node')]);
  const { code, stderr } = await run('upload', at.notes.open, path, '--resume', 'none');
  expect([code, stderr]).toEqual([1, expect.stringContaining('--resume none')]);
});

test('what is no file is said to be none', async () => {
  const missing = await run('upload', at.notes.open, join(folder.path, 'missing.pdf'));
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('There is no file')]);
  const directory = await run('upload', at.notes.open, folder.path);
  expect([directory.code, directory.stderr]).toEqual([1, expect.stringContaining('is no file')]);
});
