import { randomBytes } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32c } from '@node-rs/crc32';
import { expect, it } from 'vitest';
import { KEEP_ALL, TestClock, readAll } from './testing/log-engine.ts';
import { RecordCipher } from './record-cipher.ts';
import { segmentCrc } from './segment.ts';
import { openSegmentLog } from './segment-log.ts';
import { contentOf, temporaryFolder } from './testing/temporary-folder.ts';
import type { CommitLog } from './commit-log.ts';
import type { TemporaryFolder } from './testing/temporary-folder.ts';

const KEY = randomBytes(32);
const SECRET = 'the quick brown fox';

function openLog(folder: TemporaryFolder, encryptionKey?: Uint8Array): Promise<CommitLog> {
  const options = { folder: folder.path, clock: new TestClock(), archive: KEEP_ALL };
  return openSegmentLog(encryptionKey === undefined ? options : { ...options, encryptionKey });
}

it('leaves nothing of a payload readable in the files, and reads it back', async () => {
  await using folder = await temporaryFolder();
  const log = await openLog(folder, KEY);
  const payloads = [1, 1, 5_000].map((times) => Buffer.from(SECRET.repeat(times)));
  for (const payload of payloads) await log.append(1, payload);
  await log[Symbol.asyncDispose]();
  for (const content of (await contentOf(folder)).values()) {
    expect(content.includes(SECRET.slice(0, 8))).toBe(false);
    expect(content.includes(KEY)).toBe(false);
    expect(content.includes(KEY.toString('hex'))).toBe(false);
  }
  await using again = await openLog(folder, KEY);
  const read = (await readAll(again)).map(({ payload }) => Buffer.from(payload));
  expect(read).toEqual(payloads);
});

it.each([
  { what: 'another key', begun: KEY, opened: randomBytes(32) },
  { what: 'no key for an encrypted log', begun: KEY, opened: undefined },
  { what: 'a key for a plain log', begun: undefined, opened: KEY },
])('refuses $what and changes nothing', async ({ begun, opened }) => {
  await using folder = await temporaryFolder();
  const log = await openLog(folder, begun);
  await log.append(1, Buffer.from(SECRET));
  await log[Symbol.asyncDispose]();
  const before = await contentOf(folder);
  await expect(openLog(folder, opened)).rejects.toMatchObject({
    code: 'wrong_master_key',
    hint: expect.stringContaining('MSK_GRAPH_MASTER_KEY'),
  });
  expect(await contentOf(folder)).toEqual(before);
  await using again = await openLog(folder, begun);
  expect(await readAll(again)).toHaveLength(1);
});

it('tells a record that somebody changed and gave a new checksum', async () => {
  await using folder = await temporaryFolder();
  const log = await openLog(folder, KEY);
  await log.append(1, Buffer.from(SECRET));
  await log[Symbol.asyncDispose]();
  const name = (await readdir(folder.path)).find((entry) => entry.endsWith('.segment'))!;
  const file = join(folder.path, name);
  const genuine = await readFile(file);
  const timeAt = 64 + 31;
  for (const position of [timeAt, 64 + 40, genuine.length - 20, genuine.length - 1]) {
    const forged = Buffer.from(genuine);
    forged[position]! ^= 1;
    forged.writeUInt32BE(crc32c(forged.subarray(64 + 8), segmentCrc(forged)), 64 + 4);
    await writeFile(file, forged);
    await using again = await openLog(folder, KEY);
    await expect(readAll(again)).rejects.toMatchObject({
      code: 'log_corrupt',
      details: { file, sequence: 1 },
    });
  }
});

it('never uses a nonce twice, whatever is written under the same sequence', () => {
  const cipher = new RecordCipher(KEY, randomBytes(16), randomBytes);
  const header = Buffer.alloc(32);
  const nonces = new Set<string>();
  for (let attempt = 0; attempt < 100; attempt++) {
    const suffix = cipher.drawNonceSuffix();
    for (let first = 1; first <= 20; first++) {
      const [nonce] = cipher.seal(header, first, suffix, Buffer.from(SECRET));
      nonces.add(Buffer.from(nonce!).toString('hex'));
    }
  }
  expect(nonces.size).toBe(2_000);
});
