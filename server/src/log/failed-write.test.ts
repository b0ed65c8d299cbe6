import { mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { KEEP_ALL, TestClock, filled, readAll } from './testing/log-engine.ts';
import { openSegmentLog } from './segment-log.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';
import type { FileHandle } from 'node:fs/promises';
import type { CommitLog } from './commit-log.ts';

afterEach(() => vi.restoreAllMocks());

function openLog(folder: string, segmentBytesMax = 1_000_000): Promise<CommitLog> {
  return openSegmentLog({ folder, clock: new TestClock(), archive: KEEP_ALL, segmentBytesMax });
}

/** Node's own file handles, whose methods can be made to fail as a device would. */
async function fileHandles(folder: string): Promise<FileHandle> {
  await using file = await open(folder, 'r');
  const handles: FileHandle = Object.getPrototypeOf(file);
  return handles;
}

function inputOutputError(): Error {
  return Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
}

async function bytesInSegments(folder: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.segment'));
  const stats = await Promise.all(names.map((name) => stat(join(folder, name))));
  return stats.reduce((sum, { size }) => sum + size, 0);
}

it('takes a group whose sync failed out of the file again, and the next one in', async () => {
  await using folder = await temporaryFolder();
  const log = await openLog(folder.path);
  await log.append(1, filled(100));
  const before = await bytesInSegments(folder.path);
  vi.spyOn(await fileHandles(folder.path), 'datasync').mockRejectedValueOnce(inputOutputError());
  const group = [log.append(2, filled(100)), log.append(1, filled(100))];
  for (const append of group) {
    await expect(append).rejects.toMatchObject({ code: 'storage_failed' });
  }
  expect(await bytesInSegments(folder.path)).toBe(before);
  expect(log.lastSequence).toBe(1);
  expect(await log.append(3, filled(100))).toBe(4);
  await log[Symbol.asyncDispose]();
  await using again = await openLog(folder.path);
  expect((await readAll(again)).map(({ last }) => last)).toEqual([1, 4]);
});

it('takes no commit while the remains of a failed write cannot be removed', async () => {
  await using folder = await temporaryFolder();
  const log = await openLog(folder.path);
  await log.append(1, filled(100));
  const before = await bytesInSegments(folder.path);
  const handles = await fileHandles(folder.path);
  vi.spyOn(handles, 'datasync').mockRejectedValueOnce(inputOutputError());
  vi.spyOn(handles, 'truncate')
    .mockRejectedValueOnce(inputOutputError())
    .mockRejectedValueOnce(inputOutputError());
  const failed = { code: 'storage_failed' };
  await expect(log.append(1, filled(100))).rejects.toMatchObject(failed);
  await expect(log.append(1, filled(50))).rejects.toMatchObject(failed);
  expect(await log.append(1, filled(10))).toBe(2);
  expect(await bytesInSegments(folder.path)).toBe(before + 50);
  expect((await readAll(log)).map(({ payload }) => payload.length)).toEqual([100, 10]);
  await log[Symbol.asyncDispose]();
});

it('goes on after a new segment could not be made', async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, 'log');
  await mkdir(path);
  const log = await openLog(path, 500);
  await log.append(1, filled(1_000));
  await rename(path, `${path}-away`);
  await expect(log.append(1, filled(1_000))).rejects.toMatchObject({ code: 'storage_failed' });
  await rename(`${path}-away`, path);
  expect(await log.append(1, filled(1_000))).toBe(2);
  expect(await readAll(log)).toHaveLength(2);
  await log[Symbol.asyncDispose]();
});

it('tells damage under an open log from a segment that was trimmed', async () => {
  await using folder = await temporaryFolder();
  await using log = await openLog(folder.path, 500);
  for (let i = 0; i < 3; i++) await log.append(1, filled(1_000));
  const names = (await readdir(folder.path)).filter((name) => name.endsWith('.segment'));
  const [, second, newest] = names.toSorted().map((name) => join(folder.path, name));
  await rename(second!, `${second}-away`);
  await expect(readAll(log)).rejects.toMatchObject({
    code: 'log_corrupt',
    details: { file: second, sequence: 2 },
  });
  await rename(`${second}-away`, second!);
  await using file = await open(newest!, 'r+');
  for (const length of [64, 100, 1_103]) {
    await file.truncate(length);
    await expect(readAll(log)).rejects.toMatchObject({
      code: 'log_corrupt',
      details: { file: newest, sequence: 3 },
    });
  }
});

it('writes a group of more buffers than one system call takes', async () => {
  await using folder = await temporaryFolder();
  await using log = await openLog(folder.path);
  const payload = filled(17_000);
  await Promise.all(Array.from({ length: 1_200 }, () => log.append(1, payload)));
  expect(await readAll(log)).toHaveLength(1_200);
});
