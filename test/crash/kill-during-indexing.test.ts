import { cp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HttpClient } from '../support/http-client.ts';
import { scale, seed } from '../support/scale.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { answersOf, bookChanges, prepareLibrary, searchesOn } from './searchable-library.ts';

const SOAK_TIMEOUT_MS = 3_600_000;
const COMMIT_CHANGES = 150;
/** So many that what they become is not merged in passing, but by a thread of its own. */
const LARGE_COMMIT_CHANGES = 4_000;
/** It takes longer as a rule, both to merge and to save. */
const KILLED_WITHIN_MS = 20;

/** What the server says at its most talkative when it begins, and when it is done. */
const STEPS = {
  'amid a merge': ['the search index merges', 'the search index has merged'],
  'amid a save': ['the search index is saved', 'the search index has been saved'],
} as const;
/** Once all is well, so that there is an index to go on from. */
const ENDINGS = ['amid a save', 'all is well', 'amid a merge', 'amid commits'] as const;
type Ending = (typeof ENDINGS)[number];

test(
  'after kill -9 while it indexes, merges or saves, the index answers as one that is built anew',
  async () => {
    const random = seededRandom(seed());
    await using folder = await temporaryFolder();
    const rounds = scale({ sample: 4, soak: 132 });
    let kept = 0;
    const amid = { 'amid a merge': 0, 'amid a save': 0 };
    for (let round = 0; round <= rounds; round++) {
      const anew = round === 0 ? undefined : await answersOfOneBuiltAnew(folder.path);
      if (existsSync(join(folder.path, 'search/manifest.json'))) kept++;
      const env = { MSK_LOG_LEVEL: 'debug' };
      await using server = await TrellisProcess.start({ storage: folder.path, env });
      const http = new HttpClient(server.url);
      const token = await http.signIn();
      if (anew === undefined) await prepareLibrary(http, token);
      else expect(await searchesOn(http, token), `round ${round}`).toEqual(anew);
      expect(server.stderr, 'no file is damaged').not.toContain('is built anew');
      const ending = ENDINGS[round % ENDINGS.length]!;
      await writeAndKill(server, { http, token }, random, ending);
      for (const step of ['amid a merge', 'amid a save'] as const) {
        if (isAmid(server, step)) amid[step]++;
      }
    }
    expect(kept, 'rounds with an index to go on from').toBeGreaterThan(0);
    expect(amid['amid a merge'], 'rounds that ended in a merge').toBeGreaterThan(0);
    expect(amid['amid a save'], 'rounds that ended in a save').toBeGreaterThan(0);
  },
  SOAK_TIMEOUT_MS,
);

async function answersOfOneBuiltAnew(storage: string): Promise<readonly unknown[]> {
  await using copy = await temporaryFolder();
  await cp(storage, copy.path, { recursive: true });
  await rm(join(copy.path, 'search'), { recursive: true, force: true });
  return (await answersOf(copy.path)).answers;
}

/** Each commit is a segment: there is always something to merge. */
async function writeAndKill(
  server: TrellisProcess,
  { http, token }: { readonly http: HttpClient; readonly token: string },
  random: () => number,
  ending: Ending,
): Promise<void> {
  const commits = 2 + Math.floor(random() * 12);
  const send = (changes: number): Promise<{ readonly status: number }> =>
    http.send({
      path: '/api/ingest',
      token,
      body: { operations: bookChanges(changes, random) },
    });
  const killSoon = async (): Promise<void> => {
    await setTimeout(random() * KILLED_WITHIN_MS);
    await server.kill();
  };
  if (ending === 'amid a merge') {
    const isMerging = untilAmid(server, ending).then(killSoon);
    while (server.isRunning) await send(LARGE_COMMIT_CHANGES).catch(() => undefined);
    await isMerging;
    return;
  }
  for (let i = 0; i < commits; i++) {
    const sent = send(COMMIT_CHANGES);
    if (ending === 'amid commits' && i >= commits / 2) {
      await Promise.all([server.kill(), sent.catch(() => undefined)]);
      return;
    }
    expect((await sent).status).toBe(200);
  }
  // A stop saves what is not saved yet.
  if (ending === 'all is well') {
    await server.stop();
    return;
  }
  const isSaving = untilAmid(server, 'amid a save').then(killSoon);
  await Promise.race([server.stop(), isSaving]);
}

/** It has begun, and has not said yet that it is done. */
function isAmid({ stderr }: TrellisProcess, ending: keyof typeof STEPS): boolean {
  const [begun, done] = STEPS[ending];
  return stderr.lastIndexOf(begun) > stderr.lastIndexOf(done);
}

async function untilAmid(server: TrellisProcess, ending: keyof typeof STEPS): Promise<void> {
  const { process } = server;
  const amidOrOver = Promise.withResolvers<void>();
  const look = (): void => {
    if (isAmid(server, ending) || !server.isRunning) amidOrOver.resolve();
  };
  process.stderr?.on('data', look);
  process.once('exit', look);
  look();
  await amidOrOver.promise;
  process.stderr?.off('data', look);
}
