import { execFileSync } from 'node:child_process';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { valueAt } from '../support/http-client.ts';
import { BookKeeper, BOOK_INDEXES, expectVerified } from '../support/indexed-books.ts';
import { requireRoot } from '../support/requires.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const MEGABYTE = 1024 * 1024;
const NODES = 20_000;
const TIMEOUT_MS = 600_000;

interface SmallDisk extends AsyncDisposable {
  readonly storage: string;
  /** Leaves no more than so many bytes free. */
  fill(left: number): Promise<void>;
  empty(): Promise<void>;
}

async function smallDisk(): Promise<SmallDisk> {
  const folder = await temporaryFolder();
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', folder.path]);
  const ballast = join(folder.path, 'ballast');
  return {
    storage: join(folder.path, 'store'),
    fill: async (left) => {
      const { bavail, bsize } = await statfs(folder.path);
      await writeFile(ballast, new Uint8Array(Math.max(0, bavail * bsize - left)));
    },
    empty: () => rm(ballast),
    [Symbol.asyncDispose]: async () => {
      // Processes of endpoints see that a killed server is gone, and end a moment after it.
      await expect.poll(() => execFileSync('umount', [folder.path])).toBeInstanceOf(Buffer);
      await folder[Symbol.asyncDispose]();
    },
  };
}

const codeOf = (json: unknown): unknown => valueAt(json, 'error', 'code');

test.skipIf(requireRoot())(
  'a build that meets a full disk waits for room, and ends',
  async () => {
    await using disk = await smallDisk();
    await using server = await TrellisProcess.start({ storage: disk.storage });
    const keeper = await BookKeeper.signIn(server);
    await keeper.addBooks(NODES);
    // What is put is put; there is no room for the entries.
    await disk.fill(21 * MEGABYTE);
    await keeper.putIndexes();
    const job = async () =>
      valueAt(await keeper.send('GET', '/api/jobs?kind=schema-index'), 'items', '0');
    await expect.poll(job).toMatchObject({ step: expect.stringContaining('no room') });
    expect(await job()).toMatchObject({ state: 'running' });
    expect((await keeper.indexes()).some(({ state }) => state === 'building')).toBe(true);
    await disk.empty();
    await keeper.untilReady();
    await expect.poll(job).toMatchObject({ state: 'succeeded' });
    expect(await server.stop()).toBe(0);
    await expectVerified(disk.storage);
  },
  TIMEOUT_MS,
);

test.skipIf(requireRoot())(
  'a value that was refused for want of room is free, and a later writer may have it',
  async () => {
    await using disk = await smallDisk();
    await using server = await TrellisProcess.start({ storage: disk.storage });
    const keeper = await BookKeeper.signIn(server);
    await keeper.addBooks(100);
    await keeper.putIndexes();
    await keeper.untilReady();
    await disk.fill(24 * MEGABYTE);
    const put = (key: string, Isbn: string, Title = 'x') => {
      const operations = [{ op: 'addOrUpdate', type: 'Book', key, fields: { Isbn, Title } }];
      const { http, token } = keeper;
      return http.send({ path: '/api/ingest', token, body: { operations } });
    };
    let taken = 0;
    for (;;) {
      const writers = Array.from({ length: 16 }, (_, i) =>
        put(`new${taken + i}`, `new ${taken + i}`, 'x'.repeat(100_000)),
      );
      const answers = await Promise.all(writers);
      const refused = answers.find(({ status }) => status !== 200);
      if (refused !== undefined) {
        expect([refused.status, codeOf(refused.json)]).toEqual([507, 'storage_full']);
        break;
      }
      taken += writers.length;
    }
    await disk.empty();
    await expect.poll(async () => (await put('late', 'late')).status).toBe(200);
    // Those that were refused, and those of the same round that were not.
    for (let i = taken; i < taken + 16; i++) {
      expect((await put(`new${i}`, `new ${i}`)).status).toBe(200);
      const second = await put(`other${i}`, `new ${i}`);
      expect([second.status, codeOf(second.json)]).toEqual([422, 'not_unique']);
    }
    expect((await keeper.indexes()).map(({ state }) => state)).toEqual(
      BOOK_INDEXES.map(() => 'ready'),
    );
    expect(await server.stop()).toBe(0);
    await expectVerified(disk.storage);
  },
  TIMEOUT_MS,
);
