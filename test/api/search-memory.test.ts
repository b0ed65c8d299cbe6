import { expect, test } from 'vitest';
import { bookChanges, prepareLibrary, searchesOn } from '../crash/searchable-library.ts';
import { HttpClient, valueAt } from '../support/http-client.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';

const TIMEOUT_MS = 600_000;
const COMMITS = 6;
const COMMIT_CHANGES = 4_000;
/** Long ones, so that it is words that take the memory. */
const TITLES = { words: 120 };

interface Opened {
  readonly server: TrellisProcess;
  readonly http: HttpClient;
  readonly token: string;
}

async function start(storage: string, memoryMb: number): Promise<Opened> {
  const env = { MSK_SEARCH_MEMORY_MB: String(memoryMb) };
  const server = await TrellisProcess.start({ storage, env });
  const http = new HttpClient(server.url);
  return { server, http, token: await http.signIn() };
}

async function bytesOf({ http, token }: Opened): Promise<{ memory: number; disk: number }> {
  const { json } = await http.send({ path: '/api/search/index', token });
  return { memory: Number(valueAt(json, 'bytes')), disk: Number(valueAt(json, 'bytesOnDisk')) };
}

test(
  'an index beyond its budget of memory is read from its files, and answers as one in memory',
  async () => {
    await using folder = await temporaryFolder();
    const random = seededRandom(5);
    const opened = await start(folder.path, 1);
    await using server = opened.server;
    await prepareLibrary(opened.http, opened.token);
    for (let i = 0; i < COMMITS; i++) {
      const body = { operations: bookChanges(COMMIT_CHANGES, random, TITLES) };
      const { status } = await opened.http.send({
        path: '/api/ingest',
        token: opened.token,
        body,
      });
      expect(status).toBe(200);
    }
    // A merge keeps its result in memory for a moment, before that goes to a file as well.
    const isOnDisk = async () =>
      await expect
        .poll(async () => (await bytesOf(opened)).disk, { timeout: TIMEOUT_MS })
        .toBeGreaterThan(0);
    await isOnDisk();
    const answers = await searchesOn(opened.http, opened.token);
    await isOnDisk();
    expect(server.stderr).not.toContain('"level":"error"');
    await server.stop();

    const again = await start(folder.path, 1_000);
    await using next = again.server;
    expect(await searchesOn(again.http, again.token)).toEqual(answers);
    const { memory, disk } = await bytesOf(again);
    expect({ isInMemory: memory > 0, disk }).toEqual({ isInMemory: true, disk: 0 });
    await next.stop();
  },
  TIMEOUT_MS,
);
