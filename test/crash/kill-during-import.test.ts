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
  'kill -9 in the middle of an import loses nothing that it told, and leaves no definition by half; doing it again completes it',
  async () => {
    const random = seededRandom(seed());
    await using folder = await temporaryFolder();
    for (let round = 0; round < scale({ sample: 3, soak: 40 }); round++) {
      const zip = await zipOf(filesOf(round));
      const told = await importUntil(folder.path, zip, 1 + Math.floor(random() * 2 * ENDPOINTS));
      await using at = await sceneOn(folder.path);
      const files = await at.exportedFiles();
      for (const name of told) {
        expect(files[`endpoints/${name}.ts`], name).toContain(`// ${round}`);
      }
      for (const [path, text] of Object.entries(files)) {
        if (!path.startsWith('endpoints/') || !path.endsWith('.ts')) continue;
        const settings = JSON.parse(files[path.replace(/ts$/, 'json')]!);
        expect(text, 'code and settings are of one import').toContain(`// ${settings.description}`);
      }
      const again = await at.import(zip, '?mirror=true');
      expect(again.totals.failed).toBe(0);
      const done = await at.import(zip, '?mirror=true&dryRun=true');
      expect(done.totals).toMatchObject({ created: 0, changed: 0, deleted: 0, failed: 0 });
    }
    await expectStateEqualsLog(folder.path);
  },
  SOAK_TIMEOUT_MS,
);

/**
 * Names of the endpoints that were told to be done when the server was killed, at this step of the
 * import.
 */
async function importUntil(
  storage: string,
  zip: Uint8Array<ArrayBuffer>,
  step: number,
): Promise<readonly string[]> {
  await using at = await sceneOn(storage);
  const texts: string[] = [];
  try {
    for await (const { event, data } of eventsOf(await at.upload(zip))) {
      if (event === 'log') texts.push(Object(data).text);
      if (texts.length === step) await at.workspace.server.kill();
    }
  } catch (error) {
    // The connection went with the server.
    expect(error).toBeInstanceOf(TypeError);
  }
  return texts.flatMap(
    (text) => /^(?:Created|Changed) the endpoint "(.+)"\.$/.exec(text)?.[1] ?? [],
  );
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
