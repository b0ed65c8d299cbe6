import { open, readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';
import { countBooks, createCounter } from './books.ts';

/**
 * Fills a store with 20 commits of one book each, and ends the server without a chance to tidy up.
 */
async function fill(storage: string): Promise<string> {
  await using server = await TrellisProcess.start({ storage });
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  await http.send({ method: 'PUT', path: '/api/schema', token, body: LIBRARY_SCHEMA });
  await createCounter(http, token);
  for (let i = 0; i < 20; i++) {
    const operations = [
      { op: 'addOrUpdate', type: 'Book', key: `b${i}`, fields: { Title: 'x'.repeat(500) } },
    ];
    await http.send({ path: '/api/ingest', token, body: { operations } });
  }
  await server.kill();
  const [segment] = (await readdir(join(storage, 'log')))
    .filter((name) => /^\d/.test(name))
    .toSorted();
  if (segment === undefined) throw new Error('the log has no segment');
  return join(storage, 'log', segment);
}

test('a flipped bit in the middle of the log is refused, with the place and the remedy', async () => {
  await using folder = await temporaryFolder();
  const segment = await fill(folder.path);
  const file = await open(segment, 'r+');
  const { size } = await file.stat();
  const byte = new Uint8Array(1);
  await file.read(byte, 0, 1, Math.floor(size / 2));
  byte[0] = (byte[0] ?? 0) ^ 0x10;
  await file.write(byte, 0, 1, Math.floor(size / 2));
  await file.close();
  const refused = await TrellisProcess.startRefused({ storage: folder.path });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(segment);
  expect(refused.stderr).toMatch(/byte \d+/);
});

test('a log that lost its end, which the state has, is refused rather than mixed with another history', async () => {
  await using folder = await temporaryFolder();
  const segment = await fill(folder.path);
  const file = await open(segment, 'r');
  const { size } = await file.stat();
  await file.close();
  await truncate(segment, size - 300);
  const refused = await TrellisProcess.startRefused({ storage: folder.path });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/ahead|mismatch|log/);
});

test('a record that a crash cut short is cut off, and everything before it is there', async () => {
  await using folder = await temporaryFolder();
  const segment = await fill(folder.path);
  const file = await open(segment, 'a');
  await file.write(new Uint8Array([1, 2, 3, 4, 5, 6, 7]));
  await file.close();
  await using server = await TrellisProcess.start({ storage: folder.path });
  expect(server.stderr).toContain('log recovery');
  const http = new HttpClient(server.url);
  expect((await countBooks(http, await http.signIn())).books).toBe(20);
});
