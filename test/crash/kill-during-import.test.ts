import { expect, test } from 'vitest';
import { eventsOf } from '../support/chat-scene.ts';
import { DefinitionsScene, MANIFEST, type Files } from '../support/definitions-scene.ts';
import { CODE } from '../support/every-definition.ts';
import { HttpClient } from '../support/http-client.ts';
import { scale, seed } from '../support/scale.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { temporaryFolder, TrellisProcess } from '../support/trellis-process.ts';
import { LIBRARY_SCHEMA } from '../support/workspace.ts';
import { zipOf } from '../support/zip.ts';
import { expectStateEqualsLog } from './rebuild-from-log.ts';

const ENDPOINTS = 12;
const SOAK_TIMEOUT_MS = 900_000;

/** Each round changes everything. */
function filesOf(round: number): Files {
  const files: Record<string, string> = {
    ...MANIFEST,
    'schema.json': JSON.stringify(LIBRARY_SCHEMA),
    'workspace-settings.json': JSON.stringify({ name: `Round ${round}` }),
    'synonyms/en.json': JSON.stringify({
      [`round${round}`]: { Synonyms: ['turn'], Alternates: [], Blocked: [] },
    }),
  };
  for (let i = 0; i < ENDPOINTS; i++) {
    files[`endpoints/made/${i}.ts`] = `${CODE}// ${round}\n`;
    files[`endpoints/made/${i}.json`] = JSON.stringify({ description: `${round}` });
    files[`tools/tool${i}.json`] = JSON.stringify({
      description: `${round}`,
      endpoint: `made/${i}`,
    });
  }
  return files;
}

test(
  'kill -9 in the middle of an import leaves what was there, or all of what is new; doing it again completes it',
  async () => {
    const random = seededRandom(seed());
    await using folder = await temporaryFolder();
    let before = '{}';
    let deployments = 0;
    for (let round = 0; round < scale({ sample: 3, soak: 40 }); round++) {
      const zip = await zipOf(filesOf(round));
      const wasTold = await importUntil(folder.path, zip, random() * 1.2);
      await using at = await sceneOn(folder.path);
      const files = ownFiles(await at.exportedFiles());
      const done = JSON.stringify(ownFiles(filesOf(round)));
      expect(wasTold ? [done] : [before, done]).toContain(JSON.stringify(files));
      const { total } = await at.ok('GET', '/api/deployments');
      expect(total > deployments, 'it is kept with what it has made').toBe(
        JSON.stringify(files) === done,
      );
      const again = await at.import(zip, '?mirror=true');
      expect(again.applied).toBe(true);
      const unchanged = await at.import(zip, '?mirror=true&dryRun=true');
      expect(unchanged.totals).toMatchObject({ created: 0, changed: 0, deleted: 0, failed: 0 });
      before = done;
      ({ total: deployments } = await at.ok('GET', '/api/deployments'));
    }
    await expectStateEqualsLog(folder.path);
  },
  SOAK_TIMEOUT_MS,
);

/** What each round changes, as it says it: the code and description of everything, and a name. */
function ownFiles(files: Files): Readonly<Record<string, string>> {
  const own = Object.keys(files).filter((path) => /^(?:endpoints|tools|work)/.test(path));
  const rounds = own.map((path) => {
    const [round = ''] = /(?<=\/\/ |"description": ?"|Round )\d+/.exec(files[path] ?? '') ?? [];
    return [path, round] as const;
  });
  return Object.fromEntries(rounds.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Imports until so much of the import is checked, and then kills the server: from 1 on, after the
 * import has told that it is done. Answers whether it has.
 */
async function importUntil(
  storage: string,
  zip: Uint8Array<ArrayBuffer>,
  share: number,
): Promise<boolean> {
  await using at = await sceneOn(storage);
  const killed = (async () => {
    for (let progress = 0; progress < share;) {
      const { items } = await at.ok('GET', '/api/jobs?kind=definitions-import&take=1');
      if (items[0] !== undefined && items[0].state !== 'running') return;
      progress = items[0]?.progress ?? 0;
    }
    await at.workspace.server.kill();
  })();
  let wasTold = false;
  try {
    for await (const { event } of eventsOf(await at.upload(zip))) wasTold ||= event === 'result';
  } catch (error) {
    // The connection went with the server.
    expect(error).toBeInstanceOf(TypeError);
  }
  await killed.catch(() => undefined);
  return wasTold;
}

async function sceneOn(storage: string): Promise<DefinitionsScene> {
  const server = await TrellisProcess.start({ storage });
  const http = new HttpClient(server.url);
  const token = await http.signIn();
  return new DefinitionsScene({
    server,
    http,
    token,
    storage,
    [Symbol.asyncDispose]: async () => {
      await server.kill();
    },
  });
}
