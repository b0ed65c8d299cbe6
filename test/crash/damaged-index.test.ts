import { cp, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { answersOf, bookChanges, prepareLibrary, searchesOn } from './searchable-library.ts';

const BUILT_ANEW = 'the search index is built anew';

/** Ends in good order, so that its index is kept. */
async function fill(storage: string, seed: number, env = {}): Promise<readonly unknown[]> {
  await using server = await TrellisProcess.start({ storage, env });
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  await prepareLibrary(http, token);
  const random = seededRandom(seed);
  for (let i = 0; i < 3; i++) {
    const body = { operations: bookChanges(60, random) };
    const { status, text } = await http.send({ path: '/api/ingest', token, body });
    expect(status, text).toBe(200);
    await searchesOn(http, token);
  }
  const answers = await searchesOn(http, token);
  await server.stop();
  return answers;
}

let kept: AsyncDisposable & { readonly path: string };
let answers: readonly unknown[];
beforeAll(async () => {
  kept = await temporaryFolder();
  answers = await fill(kept.path, 1);
});
afterAll(() => kept[Symbol.asyncDispose]());

async function copyOfKept(): Promise<AsyncDisposable & { readonly path: string }> {
  const copy = await temporaryFolder();
  await cp(kept.path, copy.path, { recursive: true });
  return copy;
}

async function flip(file: string): Promise<void> {
  await using handle = await open(file, 'r+');
  const at = Math.floor((await handle.stat()).size / 2);
  const byte = new Uint8Array(1);
  await handle.read(byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ 0x10;
  await handle.write(byte, 0, 1, at);
}

const DAMAGES = {
  flipped: flip,
  missing: (file: string) => rm(file),
};

test('a kept index is used', async () => {
  await using folder = await copyOfKept();
  expect(await readdir(join(folder.path, 'search'))).toContain('manifest.json');
  const started = await answersOf(folder.path);
  expect(started.answers).toEqual(answers);
  expect(started.log).not.toContain(BUILT_ANEW);
});

test.each([
  ['manifest.json', 'flipped'],
  ['segment-', 'flipped'],
  ['deleted-', 'missing'],
] as const)('%s is %s: the index is built anew', async (prefix, damage) => {
  await using folder = await copyOfKept();
  const search = join(folder.path, 'search');
  const name = (await readdir(search)).find((one) => one.startsWith(prefix));
  await DAMAGES[damage](join(search, name ?? prefix));
  const started = await answersOf(folder.path);
  expect(started.answers).toEqual(answers);
  expect(started.log).toContain(BUILT_ANEW);
});

test('no manifest: nothing was kept, and what else is there is not used', async () => {
  await using folder = await copyOfKept();
  await rm(join(folder.path, 'search/manifest.json'));
  expect((await answersOf(folder.path)).answers).toEqual(answers);
});

test('an index of another history is not used, however far it is', async () => {
  await using folder = await temporaryFolder();
  const own = await fill(folder.path, 2);
  expect(own).not.toEqual(answers);
  await rm(join(folder.path, 'search'), { recursive: true });
  await cp(join(kept.path, 'search'), join(folder.path, 'search'), { recursive: true });
  const started = await answersOf(folder.path);
  expect(started.answers).toEqual(own);
  expect(started.log).toContain(BUILT_ANEW);
});

test('of an encrypted workspace no index is kept', async () => {
  await using folder = await temporaryFolder();
  const env = { MSK_GRAPH_MASTER_KEY: 'the key of a workspace that nobody else may read' };
  const own = await fill(folder.path, 3, env);
  expect(await readdir(folder.path)).not.toContain('search');
  expect((await answersOf(folder.path, env)).answers).toEqual(own);
  expect(await readdir(folder.path)).not.toContain('search');
});
