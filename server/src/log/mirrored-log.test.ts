import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { Problem } from '#base/problem.ts';
import { openMirroredLog } from './mirrored-log.ts';
import { openSegmentLog } from './segment-log.ts';
import { commitLogConformance } from './testing/conformance.ts';
import { filled, type LogMedium, readAll, settings } from './testing/log-engine.ts';
import {
  smallVolume,
  temporaryFolder,
  type TemporaryFolder,
  whyNoSmallVolume,
} from './testing/temporary-folder.ts';

commitLogConformance('mirrored log', {
  createMedium: async () => mediumOf(await temporaryFolder(), await temporaryFolder()),
  createSmallMedium: async (bytes) => mediumOf(await smallVolume(bytes), await temporaryFolder()),
  whyNoSmallMedium: whyNoSmallVolume(),
});

function mediumOf(authorityFolder: TemporaryFolder, copyFolder: TemporaryFolder): LogMedium {
  return {
    open: async (given) => {
      const authority = await openSegmentLog({ ...given, folder: authorityFolder.path });
      const beginning = { epoch: authority.epoch, after: 0 };
      const copy = await openSegmentLog({ ...given, folder: copyFolder.path, beginning });
      const log = await openMirroredLog({ authority, copy, clock: given.clock });
      const trim = log.trim.bind(log);
      // Who trims the authority, and when, is for others to say: here it has the same followers.
      log.trim = async (keepAfter) => {
        await Promise.all([trim(keepAfter), authority.trim(keepAfter)]);
      };
      return log;
    },
    [Symbol.asyncDispose]: async () => {
      await authorityFolder[Symbol.asyncDispose]();
      await copyFolder[Symbol.asyncDispose]();
    },
  };
}

it('gives the copy what only the authority has, with its times', async () => {
  await using folder = await temporaryFolder();
  const authority = await authorityWith(folder, [3, 1, 2]);
  const expected = await readAll(authority);
  const copy = await copyIn(folder, authority.epoch);
  await using log = await openMirroredLog({ authority, copy, clock: settings().clock });
  expect(await readAll(log)).toEqual(expected);
  expect(await log.append(2, filled(5))).toBe(8);
  expect(await readAll(copy)).toEqual(await readAll(authority));
});

it.each([
  ['of another epoch', async (folder: TemporaryFolder) => copyIn(folder, 'f'.repeat(32))],
  [
    'that is ahead',
    async (folder: TemporaryFolder, epoch: string) => copyWith(folder, epoch, [3, 1, 3]),
  ],
  [
    'whose last record differs',
    async (folder: TemporaryFolder, epoch: string) => copyWith(folder, epoch, [3, 1]),
  ],
])('refuses a copy %s, and leaves it', async (_, makeCopy) => {
  await using folder = await temporaryFolder();
  await using authority = await authorityWith(folder, [3, 1, 2]);
  await using copy = await makeCopy(folder, authority.epoch);
  const before = await readAll(copy);
  const opening = openMirroredLog({ authority, copy, clock: settings().clock });
  await expect(opening).rejects.toMatchObject({ code: 'state_log_mismatch' });
  expect(await readAll(copy)).toEqual(before);
});

it('tries again what the copy did not take, and acknowledges nothing before', async () => {
  await using folder = await temporaryFolder();
  const authority = await authorityWith(folder, []);
  const copy = await copyIn(folder, authority.epoch);
  const failing = vi
    .spyOn(copy, 'append')
    .mockRejectedValueOnce(new Problem('storage_full', 'no room'));
  const onCopyFailing = vi.fn<(problem: unknown) => void>();
  const { clock } = settings();
  await using log = await openMirroredLog({ authority, copy, clock, onCopyFailing });
  expect(await log.append(1, filled(9))).toBe(1);
  expect(onCopyFailing).toHaveBeenCalledWith(expect.objectContaining({ code: 'storage_full' }));
  expect(failing).toHaveBeenCalledTimes(2);
  expect(await readAll(copy)).toEqual(await readAll(authority));
});

async function authorityWith(folder: TemporaryFolder, counts: readonly number[]) {
  const log = await openSegmentLog({ ...settings(), folder: join(folder.path, 'authority') });
  for (const count of counts) await log.append(count, filled(count));
  return log;
}

function copyIn(folder: TemporaryFolder, epoch: string) {
  const path = join(folder.path, 'copy');
  return openSegmentLog({ ...settings(), folder: path, beginning: { epoch, after: 0 } });
}

/** Its records have other payloads than those of the authority. */
async function copyWith(folder: TemporaryFolder, epoch: string, counts: readonly number[]) {
  const copy = await copyIn(folder, epoch);
  for (const count of counts) await copy.append(count, filled(count, 1));
  return copy;
}
