import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { smallVolume, temporaryFolder, whyNoSmallVolume } from '#log/testing/temporary-folder.ts';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { pieceDigest } from './piece.ts';
import { PieceFolder } from './snapshot-spool.ts';

const SECRET = 'correct horse battery staple';
const PLAIN_TEXT = Buffer.from('what nobody may read on the disk');
const DIGEST = pieceDigest(PLAIN_TEXT);

it.each([undefined, SECRET])(
  'reads what was written, in whatever parts, secret: %s',
  async (secret) => {
    await using temporary = await temporaryFolder();
    const pieces = new PieceFolder({ folder: join(temporary.path, 'pieces'), secret });
    expect(await pieces.list()).toEqual(new Map());
    const parts = fc.array(fc.uint8Array({ maxLength: 50_000, size: 'max' }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(parts, async (list) => {
        const bytes = Buffer.concat(list);
        const digest = pieceDigest(bytes);
        await pieces.write(digest, list);
        // As another process with the same master key does.
        const reopened = new PieceFolder({ folder: pieces.path, secret });
        expect((await reopened.list()).get(digest)).toBe(bytes.length);
        expect(Buffer.compare(await reopened.read(digest), bytes)).toBe(0);
        expect(await reopened.has(digest, bytes)).toBe(true);
        expect(await reopened.has(digest, Buffer.concat([bytes, bytes, PLAIN_TEXT]))).toBe(false);
        await reopened.remove(digest);
        expect(await reopened.list()).toEqual(new Map());
      }),
      { numRuns: 20 },
    );
  },
);

it('has no plain text on the disk when there is a secret, nor the same bytes twice', async () => {
  await using temporary = await temporaryFolder();
  const pieces = new PieceFolder({ folder: temporary.path, secret: SECRET });
  const path = join(temporary.path, DIGEST);
  await pieces.write(DIGEST, [PLAIN_TEXT]);
  const first = readFileSync(path);
  await pieces.write(DIGEST, [PLAIN_TEXT]);
  expect(first.includes(PLAIN_TEXT)).toBe(false);
  expect(Buffer.compare(readFileSync(path), first)).not.toBe(0);
});

it('tells of a file that was changed, cut, swapped or written with another secret', async () => {
  await using temporary = await temporaryFolder();
  const pieces = new PieceFolder({ folder: temporary.path, secret: SECRET });
  const path = join(temporary.path, DIGEST);
  await pieces.write(DIGEST, [PLAIN_TEXT]);
  const written = readFileSync(path);
  const corrupt = { code: 'snapshot_corrupt' };
  const other = new PieceFolder({ folder: temporary.path, secret: `${SECRET}!` });
  await expect(other.read(DIGEST)).rejects.toMatchObject(corrupt);
  const swapped = pieceDigest(Buffer.from('another piece'));
  writeFileSync(join(temporary.path, swapped), written);
  await expect(pieces.read(swapped)).rejects.toMatchObject(corrupt);
  for (const at of written.keys()) {
    const changed = Buffer.from(written);
    changed[at]! ^= 1;
    writeFileSync(path, changed);
    await expect(pieces.read(DIGEST)).rejects.toMatchObject(corrupt);
  }
  for (const length of [0, 40, written.length - 1]) {
    writeFileSync(path, written);
    truncateSync(path, length);
    await expect(pieces.read(DIGEST)).rejects.toMatchObject(corrupt);
    expect(await pieces.has(DIGEST, PLAIN_TEXT)).toBe(false);
  }
});

it('clears away what is unfinished', async () => {
  await using temporary = await temporaryFolder();
  const pieces = new PieceFolder({ folder: temporary.path, secret: undefined });
  await pieces.write(DIGEST, [PLAIN_TEXT]);
  writeFileSync(join(temporary.path, `${'0'.repeat(64)}.new`), 'half');
  expect([...(await pieces.list()).keys()]).toEqual([DIGEST]);
  expect(readdirSync(temporary.path)).toEqual([DIGEST]);
});

it.skipIf(whyNoSmallVolume())(
  'tells of a full volume, and leaves no half piece there',
  async () => {
    await using volume = await smallVolume(1024 * 1024);
    const pieces = new PieceFolder({ folder: volume.path, secret: undefined });
    const bytes = new Uint8Array(700_000);
    await pieces.write(DIGEST, [bytes]);
    const writing = pieces.write('0'.repeat(64), [bytes]);
    await expect(writing).rejects.toMatchObject({ code: 'storage_full' });
    expect(readdirSync(volume.path)).toEqual([DIGEST]);
  },
);
