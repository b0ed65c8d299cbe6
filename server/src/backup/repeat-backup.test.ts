import { rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BACKUP_REPEATED_BYTES_MAX } from '#base/backup-limits.ts';
import { TestClock } from '#log/testing/log-engine.ts';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { DB } from '#store/databases.ts';
import { sealManifest } from '#store/manifest.ts';
import { pieceDigest } from '#store/piece.ts';
import { encodeContents, listHeaders, writeHeader, type BackupHeader } from './backup-header.ts';
import { BackupPool } from './backup-pool.ts';
import { FolderTarget } from './folder-target.ts';
import { openPoolSecret } from './pool-description.ts';
import { repeatBackup } from './repeat-backup.ts';
import type { SourceFile } from './take-backup.ts';

const EPOCH = 'a'.repeat(32);
const PIECE = Buffer.from('entries');
const CONTENT = Buffer.from('a file');
const KEY = 'a master key of more than sixteen characters';

const named: SourceFile = {
  path: 'front-end/one',
  digest: pieceDigest(CONTENT),
  read: () => Promise.resolve(CONTENT),
};
const unnamed: SourceFile = { ...named, path: 'jwt.key', digest: undefined };

/** A target with one backup at sequence 7, of one piece and two files. */
async function scene(masterKey?: string) {
  const folder = await temporaryFolder();
  const target = new FolderTarget(folder.path);
  const pool = new BackupPool(target, await openPoolSecret(target, masterKey));
  const piece = { digest: pieceDigest(PIECE), bytes: PIECE.length, entries: 1, firstKey: '00' };
  const snapshot = sealManifest(EPOCH, 7, [{ number: DB.nodes, pieces: [piece] }]);
  const files = ['front-end/one', 'jwt.key'].map((path) => ({
    path,
    digest: pieceDigest(CONTENT),
    bytes: CONTENT.length,
  }));
  const contents = encodeContents({ snapshot, files });
  for (const bytes of [PIECE, CONTENT, contents]) {
    await pool.write(pieceDigest(bytes), Buffer.from(bytes));
  }
  const at = '2026-11-21T18:40:00.000Z';
  const header: BackupHeader = {
    format: 1,
    id: '20261121T184000000Z-0f3a9c21',
    createdAt: at,
    completedAt: at,
    sequence: 7,
    epoch: EPOCH,
    version: '26.10.0',
    isEncrypted: masterKey !== undefined,
    nodes: 1,
    edges: 0,
    bytes: PIECE.length,
    newBytes: PIECE.length,
    hasLog: false,
    contents: pieceDigest(contents),
  };
  await writeHeader(target, header);
  const repeat = (more: Partial<Parameters<typeof repeatBackup>[0]> = {}) =>
    repeatBackup({
      target,
      masterKey,
      clock: new TestClock(),
      suffix: '00000001',
      version: '26.11.0',
      signal: new AbortController().signal,
      sequence: 7,
      epoch: EPOCH,
      files: () => Promise.resolve([named, unnamed]),
      ...more,
    });
  return { folder, target, pool, piece, header, repeat };
}

describe.each([undefined, KEY])('a backup of what has not changed, master key %s', (masterKey) => {
  it('is a header of its own of the same contents', async () => {
    const { folder, target, header, repeat } = await scene(masterKey);
    await using _folder = folder;
    const pieces = await target.list('pieces');
    const repeated = await repeat();
    expect(repeated).toMatchObject({ sequence: 7, newBytes: 0, hasLog: true, version: '26.11.0' });
    expect(repeated?.contents).toBe(header.contents);
    expect(await listHeaders(target)).toEqual(expect.arrayContaining([repeated, header]));
    expect(await target.list('pieces')).toEqual(pieces);
  });

  it('is left to a whole run when a piece is missing or cut short', async () => {
    const { folder, target, pool, piece, repeat } = await scene(masterKey);
    await using _folder = folder;
    const path = join(folder.path, pool.pathOf(piece.digest));
    await truncate(path, PIECE.length - 1);
    expect(await repeat()).toBeUndefined();
    await rm(path);
    expect(await repeat()).toBeUndefined();
    expect(await listHeaders(target)).toHaveLength(1);
  });
});

it.each([
  ['something was committed', { sequence: 8 }],
  ['the history is another one', { epoch: 'b'.repeat(32) }],
  ['a file has gone', { files: () => Promise.resolve([named]) }],
  [
    'a file has come',
    { files: () => Promise.resolve([named, unnamed, { ...named, path: 'front-end/two' }]) },
  ],
  [
    'a file has another name of its content',
    { files: () => Promise.resolve([{ ...named, digest: pieceDigest(PIECE) }, unnamed]) },
  ],
  [
    'a file has other content',
    { files: () => Promise.resolve([named, { ...unnamed, read: () => Promise.resolve(PIECE) }]) },
  ],
  ['the workspace is encrypted now', { masterKey: KEY }],
])('a whole run is needed when %s', async (_why, change) => {
  const { folder, target, repeat } = await scene();
  await using _folder = folder;
  expect(await repeat(change)).toBeUndefined();
  expect(await listHeaders(target)).toHaveLength(1);
});

it('a whole run is needed when the contents are damaged, or may be a long list', async () => {
  const { folder, target, pool, header, repeat } = await scene();
  await using _folder = folder;
  await writeHeader(target, { ...header, bytes: BACKUP_REPEATED_BYTES_MAX + 1 });
  expect(await repeat()).toBeUndefined();
  await writeHeader(target, { ...header, bytes: BACKUP_REPEATED_BYTES_MAX });
  await pool.writeSealed(pool.pathOf(header.contents), header.contents, Buffer.from('{}'));
  expect(await repeat()).toBeUndefined();
});

it('a cancelled one leaves no backup', async () => {
  const { folder, target, repeat } = await scene();
  await using _folder = folder;
  await expect(repeat({ signal: AbortSignal.abort(new Error('cancelled')) })).rejects.toThrow(
    'cancelled',
  );
  expect(await listHeaders(target)).toHaveLength(1);
});
