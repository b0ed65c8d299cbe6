import { cp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { scale, seed } from '../support/scale.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { answersOf, bookChanges, prepareLibrary, searchesOn } from './searchable-library.ts';

const SOAK_TIMEOUT_MS = 1_800_000;
const COMMIT_CHANGES = 150;
/** A stop saves the index: within so long it is killed in the middle of that, or before, or behind it. */
const KILLED_WITHIN_MS = 120;

const ENDINGS = ['amid commits', 'amid a save'] as const;

test(
  'after kill -9 while it indexes or saves, the index answers as one that is built anew',
  async () => {
    const random = seededRandom(seed());
    await using folder = await temporaryFolder();
    const rounds = scale({ sample: 4, soak: 100 });
    let kept = 0;
    for (let round = 0; round <= rounds; round++) {
      const anew = round === 0 ? undefined : await answersOfOneBuiltAnew(folder.path);
      if (existsSync(join(folder.path, 'search/manifest.json'))) kept++;
      await using server = await TrellisProcess.start({ storage: folder.path });
      const http = new HttpClient(server.url);
      const token = await http.signIn();
      if (anew === undefined) await prepareLibrary(http, token);
      else expect(await searchesOn(http, token), `round ${round}`).toEqual(anew);
      expect(server.stderr, 'no file is damaged').not.toContain('is built anew');
      await writeAndKill(server, { http, token }, random, ENDINGS[round % 2]);
    }
    expect(kept, 'rounds with an index to go on from').toBeGreaterThan(0);
  },
  SOAK_TIMEOUT_MS,
);

async function answersOfOneBuiltAnew(storage: string): Promise<readonly unknown[]> {
  await using copy = await temporaryFolder();
  await cp(storage, copy.path, { recursive: true });
  await rm(join(copy.path, 'search'), { recursive: true, force: true });
  return (await answersOf(copy.path)).answers;
}

/** Each commit is a small segment: there is always something to merge. */
async function writeAndKill(
  server: TrellisProcess,
  { http, token }: { readonly http: HttpClient; readonly token: string },
  random: () => number,
  ending: (typeof ENDINGS)[number] | undefined,
): Promise<void> {
  const commits = 2 + Math.floor(random() * 12);
  for (let i = 0; i < commits; i++) {
    const body = { operations: bookChanges(COMMIT_CHANGES, random) };
    const sent = http.send({ path: '/api/ingest', token, body });
    if (ending === 'amid commits' && i >= commits / 2) {
      await Promise.all([server.kill(), sent.catch(() => undefined)]);
      return;
    }
    expect((await sent).status).toBe(200);
  }
  const stopped = server.stop();
  const { promise: isTime, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, random() * KILLED_WITHIN_MS);
  await Promise.race([isTime, stopped]);
  await server.kill();
}
