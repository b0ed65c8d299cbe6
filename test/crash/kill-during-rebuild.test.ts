import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HttpClient, valueAt } from '../support/http-client.ts';
import { searchAnswer } from '../support/search-index.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { answersOf, bookChanges, prepareLibrary, searchesOn } from './searchable-library.ts';

const TIMEOUT_MS = 600_000;
const COMMITS = 5;
const COMMIT_CHANGES = 10_000;
/** So many that several threads of the server build the index again. */
const BOOKS_MIN = 22_000;
const SEVERAL = { MSK_SEARCH_BUILD_THREADS: '3', MSK_LOG_LEVEL: 'debug' };
const ONE = { MSK_SEARCH_BUILD_THREADS: '1' };
const ROUNDS = 2;

interface Client {
  readonly http: HttpClient;
  readonly token: string;
}

async function signIn({ url }: TrellisProcess): Promise<Client> {
  const http = new HttpClient(url);
  return { http, token: await http.signIn() };
}

async function write({ http, token }: Client): Promise<void> {
  const random = seededRandom(11);
  for (let i = 0; i < COMMITS; i++) {
    const body = { operations: bookChanges(COMMIT_CHANGES, random) };
    const { status, text } = await http.send({ path: '/api/ingest', token, body });
    expect(status, text).toBe(200);
  }
}

/** Answers the sequence of the change. */
async function setBoost({ http, token }: Client, boost: number): Promise<number> {
  const Book = { language: 'en', fields: { Title: { text: { boost } }, Tags: { facet: true } } };
  const call = { method: 'PUT', path: '/api/search/settings', token };
  const { status, headers } = await http.send({ ...call, body: { types: { Book } } });
  expect(status).toBe(200);
  return Number(headers.get('x-msk-sequence'));
}

/**
 * Looks how far the rebuild is that a change begins, until some of it is done; undefined when it
 * was over sooner.
 */
async function halfway(
  { http, token }: Client,
  change: number,
): Promise<readonly number[] | undefined> {
  const seen: number[] = [];
  for (;;) {
    const { json } = await http.send({ path: '/api/search/index', token });
    const done = valueAt(json, 'rebuild', 'done');
    if (done !== undefined) seen.push(Number(done));
    else if (Number(valueAt(json, 'sequence')) >= change) return undefined;
    if (Number(done) > 0) return seen;
    await setImmediate();
  }
}

async function total({ http, token }: Client): Promise<number> {
  return Number(valueAt(await searchAnswer(http, token, { query: '' }), 'total'));
}

test(
  'after kill -9 while several threads build it, the index answers as one that one thread builds, and meanwhile as before',
  async () => {
    await using folder = await temporaryFolder();
    let server = await TrellisProcess.start({ storage: folder.path, env: SEVERAL });
    let client = await signIn(server);
    await prepareLibrary(client.http, client.token);
    await write(client);
    await searchesOn(client.http, client.token);
    const books = await total(client);
    expect(books).toBeGreaterThan(BOOKS_MIN);
    let boost = 2;
    for (let round = 0; round < ROUNDS; round++) {
      let seen: readonly number[] | undefined;
      while (seen === undefined) seen = await halfway(client, await setBoost(client, ++boost));
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      expect(await total(client)).toBe(books);
      await server.kill();
      server = await TrellisProcess.start({ storage: folder.path, env: SEVERAL });
      client = await signIn(server);
      // What was under way, and what the log has beyond the index that was saved, is made up for.
      await searchesOn(client.http, client.token);
      expect(await total(client)).toBe(books);
    }
    const answers = await searchesOn(client.http, client.token);
    expect(server.stderr).not.toContain('by one thread');
    await server.stop();
    await using copy = await temporaryFolder();
    await cp(folder.path, copy.path, { recursive: true });
    await rm(join(copy.path, 'search'), { recursive: true });
    expect((await answersOf(copy.path, ONE)).answers).toEqual(answers);
  },
  TIMEOUT_MS,
);
