import { expect, it } from 'vitest';
import { temporaryFolder } from '#log/testing/temporary-folder.ts';
import { pieceDigest } from '#store/piece.ts';
import { BackupPool, PoolWriter } from './backup-pool.ts';
import { FolderTarget } from './folder-target.ts';

// Node keeps what is made from texts of up to 32 KiB in memory that it shares between them.
it.each([10, 4_000, 20_000, 32_000, 70_000])(
  'writes a text of %i bytes, and leaves what lies beside it in memory',
  async (bytes) => {
    await using folder = await temporaryFolder();
    const target = new FolderTarget(folder.path);
    const pool = new BackupPool(target, undefined);
    const writer = await PoolWriter.open(pool, target);
    const before = Buffer.from('before');
    const content = Buffer.from('x'.repeat(bytes));
    const behind = Buffer.from('behind');
    const digest = pieceDigest(content);
    await writer.write(digest, content);
    await writer.drain();
    expect(String(await pool.read(digest))).toBe('x'.repeat(bytes));
    expect([String(before), String(behind)]).toEqual(['before', 'behind']);
    expect(writer.writtenBytes).toBe(bytes);
    // It is there already.
    await writer.write(digest, Buffer.from('x'.repeat(bytes)));
    expect(writer.writtenBytes).toBe(bytes);
  },
);

it('hands back the memory of what it has written, and of what was there', async () => {
  await using folder = await temporaryFolder();
  const target = new FolderTarget(folder.path);
  const writer = await PoolWriter.open(new BackupPool(target, undefined), target);
  const content = new Uint8Array(100_000).fill(7);
  let released = 0;
  for (let i = 0; i < 2; i++) {
    await writer.write(pieceDigest(content), content, () => released++);
    await writer.drain();
  }
  expect([released, content.length]).toEqual([2, 100_000]);
});
