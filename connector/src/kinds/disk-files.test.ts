import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openOnDisk, streamOfDisk, unreadable, whyNotRead } from './disk-files.ts';

let place: string;
beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'trellis-disk-')));
  mkdirSync(join(place, 'real'));
  writeFileSync(join(place, 'real/a.txt'), 'four');
  writeFileSync(join(place, 'empty'), '');
  symlinkSync(join(place, 'real/a.txt'), join(place, 'file-link'));
  symlinkSync(join(place, 'real'), join(place, 'folder-link'));
  execFileSync('mkfifo', [join(place, 'pipe')]);
});
afterAll(() => rmSync(place, { recursive: true }));

async function reasonOf(path: string, kind: 'file' | 'folder'): Promise<string | undefined> {
  try {
    await using _opened = await openOnDisk(join(place, path), kind);
    return 'opened';
  } catch (error) {
    return whyNotRead(error);
  }
}

it.each([
  ['real/a.txt', 'file', 'opened'],
  ['real', 'folder', 'opened'],
  ['file-link', 'file', 'is a link, which is not followed'],
  // As when a folder becomes a link between two looks at it.
  ['folder-link/a.txt', 'file', 'is no file, or has a link on the way to it'],
  ['folder-link', 'folder', 'is no'],
  ['real', 'file', 'is no file'],
  ['empty', 'folder', 'is no folder'],
  ['none', 'file', 'is not there'],
  // Nobody writes into it, and nobody waits for that.
  ['pipe', 'file', 'is no file'],
] as const)('opens %s as a %s: %s', async (path, kind, reason) => {
  expect(await reasonOf(path, kind)).toContain(reason);
});

it('reads no more of a file than a run may', async () => {
  const path = join(place, 'real/a.txt');
  expect(await text(await streamOfDisk({ path, bytesMax: 4 }))).toBe('four');
  await expect(streamOfDisk({ path, bytesMax: 3 })).rejects.toMatchObject({
    code: 'source_failed',
    message: `${path} has more than 3 bytes`,
  });
  expect(await text(await streamOfDisk({ path: join(place, 'empty'), bytesMax: 0 }))).toBe('');
});

it('does not take a disk that fails for something that has gone', () => {
  const error = Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
  expect(whyNotRead(error)).toBeUndefined();
  expect(unreadable('/srv', error).message).toBe('/srv cannot be read: EIO: i/o error');
});
