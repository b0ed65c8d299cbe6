import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { field, HttpClient, type Answer } from '../support/http-client.ts';
import { requireRoot } from '../support/requires.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';
import { countBooks, createCounter } from './books.ts';

const MEGABYTE = 1024 * 1024;

test.skipIf(requireRoot())(
  'a full disk refuses writes, serves reads, and writes resume when there is room',
  async () => {
    await using folder = await temporaryFolder();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', folder.path]);
    try {
      const ballast = join(folder.path, 'ballast');
      await writeFile(ballast, new Uint8Array(40 * MEGABYTE));
      await using server = await TrellisProcess.start({ storage: join(folder.path, 'store') });
      const http = new HttpClient(server.url);
      const token = await http.signIn();
      await http.send({ method: 'PUT', path: '/api/schema', token, body: LIBRARY_SCHEMA });
      await createCounter(http, token);

      const { acknowledged, refusal } = await fill(http, token);
      expect([refusal.status, field(refusal.json, 'error', 'code')]).toEqual([507, 'storage_full']);
      expect(acknowledged).toBeGreaterThan(0);
      expect((await countBooks(http, token)).books).toBe(acknowledged * 100);

      await rm(ballast);
      await expect.poll(async () => (await ingest(http, token, 1_000_000)).status).toBe(200);
      const counts = await countBooks(http, token);
      expect(counts.books).toBe((acknowledged + 1) * 100);
      await server.stop();
      await using again = await TrellisProcess.start({ storage: join(folder.path, 'store') });
      const second = new HttpClient(again.url);
      expect((await countBooks(second, await second.signIn())).books).toBe(counts.books);
    } finally {
      // Processes of endpoints see that a killed server is gone, and end a moment after it.
      await expect.poll(() => execFileSync('umount', [folder.path])).toBeInstanceOf(Buffer);
    }
  },
);

function ingest(http: HttpClient, token: string, commit: number): Promise<Answer> {
  const operations = Array.from({ length: 100 }, (_, i) => [
    {
      op: 'addOrUpdate',
      type: 'Book',
      key: `${commit}-${i}`,
      fields: { Title: 'x'.repeat(4_000) },
    },
    { op: 'addOrUpdate', type: 'Author', key: `${commit}-${i}` },
    {
      op: 'link',
      from: { type: 'Book', key: `${commit}-${i}` },
      edge: 'WrittenBy',
      to: { type: 'Author', key: `${commit}-${i}` },
    },
  ]);
  return http.send({ path: '/api/ingest', token, body: { operations: operations.flat() } });
}

async function fill(
  http: HttpClient,
  token: string,
): Promise<{ acknowledged: number; refusal: Answer }> {
  for (let acknowledged = 0; acknowledged < 1_000; acknowledged++) {
    const answer = await ingest(http, token, acknowledged);
    if (answer.status !== 200) return { acknowledged, refusal: answer };
  }
  throw new Error('the disk did not fill up');
}
