import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';
import { countBooks, createCounter } from '../crash/books.ts';

const MASTER_KEY = 'a master key of more than sixteen characters';
const MARKER = 'a title that stands nowhere in the clear';

test('with MSK_GRAPH_MASTER_KEY nothing lies in the clear, and only that key opens the store', async () => {
  await using folder = await temporaryFolder();
  const env = { MSK_GRAPH_MASTER_KEY: MASTER_KEY };
  await using first = await TrellisProcess.start({ storage: folder.path, env });
  const http = new HttpClient(first.url);
  const token = await http.signIn();
  await http.send({ method: 'PUT', path: '/api/schema', token, body: LIBRARY_SCHEMA });
  await createCounter(http, token);
  const operations = [
    { op: 'addOrUpdate', type: 'Book', key: 'b', fields: { Title: MARKER } },
    { op: 'addOrUpdate', type: 'Author', key: 'a' },
    {
      op: 'link',
      from: { type: 'Book', key: 'b' },
      edge: 'WrittenBy',
      to: { type: 'Author', key: 'a' },
    },
  ];
  expect((await http.send({ path: '/api/ingest', token, body: { operations } })).status).toBe(200);
  expect(await countBooks(http, token)).toEqual({ books: 1, authors: 1, edges: 1 });
  await first.stop();

  const files = await filesBelow(folder.path);
  expect(files.some((file) => file.includes('/log/'))).toBe(true);
  for (const file of files) expect((await readFile(file)).includes(MARKER), file).toBe(false);

  const before = await digestOf(folder.path);
  for (const wrong of [{}, { MSK_GRAPH_MASTER_KEY: `${MASTER_KEY}!` }]) {
    const refused = await TrellisProcess.startRefused({ storage: folder.path, env: wrong });
    expect(refused.code).toBe(78);
    expect(refused.stderr).toContain('MSK_GRAPH_MASTER_KEY');
  }
  expect(await digestOf(folder.path), 'a refused start touches nothing').toBe(before);

  await using again = await TrellisProcess.start({ storage: folder.path, env });
  const second = new HttpClient(again.url);
  expect(await countBooks(second, await second.signIn())).toMatchObject({ books: 1, edges: 1 });
});

test('a store that is not encrypted does not open with a key', async () => {
  await using folder = await temporaryFolder();
  await using server = await TrellisProcess.start({ storage: folder.path });
  await server.stop();
  const env = { MSK_GRAPH_MASTER_KEY: MASTER_KEY };
  const refused = await TrellisProcess.startRefused({ storage: folder.path, env });
  expect(refused.code).toBe(78);
  expect(refused.stderr).toContain('not encrypted');
});

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const files = [];
  for (const name of names.toSorted()) {
    const path = join(folder, name);
    if ((await stat(path)).isFile()) files.push(path);
  }
  return files;
}

async function digestOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of await filesBelow(folder)) hash.update(file).update(await readFile(file));
  return hash.digest('hex');
}
