import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DigestFolder } from './digest-folder.ts';
import { frontEndFile } from './front-end-files.ts';

let path: string;
let folder: DigestFolder;
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), 'trellis-digests-')), 'front-end');
  folder = new DigestFolder(path);
});
afterEach(() => rm(join(path, '..'), { recursive: true }));

const file = (text: string) => frontEndFile(Buffer.from(text));
const FILES = Array.from({ length: 20 }, (_, i) => file(`content ${i}`));

it('has what was written, once, and nothing else', async () => {
  const [first] = FILES;
  expect(await folder.read(file('a').digest)).toBeUndefined();
  await folder.write([...FILES, ...FILES]);
  expect((await readdir(path)).toSorted()).toEqual(FILES.map(({ digest }) => digest).toSorted());
  for (const { digest, bytes } of FILES) expect(await folder.read(digest)).toEqual(bytes);
  await folder.keepOnly(new Set([first?.digest ?? '']));
  expect(await readdir(path)).toEqual([first?.digest]);
});

it('has no file that is damaged, until it is written again', async () => {
  const { digest, bytes } = file('content');
  await folder.write([{ digest, bytes }]);
  await truncate(join(path, digest), 3);
  expect(await folder.read(digest)).toBeUndefined();
  await folder.write([{ digest, bytes }]);
  expect(await folder.read(digest)).toEqual(bytes);
});

it('forgets what was never finished, also when it is not there yet', async () => {
  await folder.keepOnly(new Set());
  await folder.write([]);
  await writeFile(join(path, `${file('a').digest}.new`), 'half');
  await folder.keepOnly(new Set([file('a').digest]));
  expect(await readdir(path)).toEqual([]);
});

it('says that it failed once nothing is written any more', async () => {
  // A folder is in the way.
  await mkdir(join(path, `${FILES[3]?.digest}.new`), { recursive: true });
  await expect(folder.write(FILES)).rejects.toMatchObject({ code: 'storage_failed' });
  const left = await readdir(path);
  expect(left).toHaveLength(FILES.length);
  expect(left.filter((name) => name.endsWith('.new'))).toHaveLength(1);
});
