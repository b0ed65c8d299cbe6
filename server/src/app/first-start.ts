import { settingOperation } from '#access/settings.ts';
import { must } from '#base/assert.ts';
import { systemClock } from '#base/clock.ts';
import type { Config, Secrets } from '#config/config.ts';
import type { GraphReader } from '#graph/reader.ts';
import {
  createFirstAdministrator,
  FIRST_ADMINISTRATOR,
  PREVIEW_ADMINISTRATOR,
  writeAdministrator,
} from '#identity/user-service.ts';
import { findUserByName } from '#identity/users.ts';
import { SEARCH_SETTING } from '#search/settings/search-settings.ts';
import { wordnetSearchSettings } from '../../../samples/wordnet/search-settings.ts';
import { ProgressBar } from './progress-bar.ts';
import type { WriterClient } from './writer/writer-client.ts';
import { join } from 'node:path';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import { type EndpointFile, readEndpointFiles, SERVER } from './endpoint-files.ts';

export interface FirstStartParts {
  readonly config: Config;
  readonly secrets: Secrets;
  readonly reader: GraphReader;
  readonly writer: WriterClient;
  readonly endpoints: EndpointCreator;
  readonly url: string;
}

/**
 * What an empty store needs before it can be used: the sample graph, its endpoints, the first
 * administrator. The administrator comes last and marks the first start as done, so that one that
 * was cut short begins again; every step may be repeated.
 */
export async function prepareFirstStart(parts: FirstStartParts): Promise<void> {
  const { config, secrets, reader, writer, url } = parts;
  if (config.preview !== null) {
    const password = must(secrets.adminPassword, 'the password of the administrator of a preview');
    await writeAdministrator(writer, systemClock, { name: PREVIEW_ADMINISTRATOR, password });
    tell(`Trellis answers at ${url}`);
    return;
  }
  reader.refresh();
  if (findUserByName(reader, FIRST_ADMINISTRATOR) !== undefined) {
    tell(`Trellis answers at ${url}`);
    return;
  }
  if (config.sampleGraph === 'wordnet') await loadSample(parts);
  const { generatedPassword } = await createFirstAdministrator(
    writer,
    systemClock,
    secrets.adminPassword ?? undefined,
  );
  tell(
    generatedPassword === null
      ? `Trellis answers at ${url}\nSign in as ${FIRST_ADMINISTRATOR} with the password in MSK_ADMIN_PASSWORD.`
      : `Trellis answers at ${url}\nSign in as ${FIRST_ADMINISTRATOR} with the password ${generatedPassword} (shown this once).`,
  );
}

async function loadSample({ writer, endpoints }: FirstStartParts): Promise<void> {
  // Before the nodes, so that they are indexed once.
  const settings = settingOperation(SEARCH_SETTING, wordnetSearchSettings);
  await writer.commit({ system: true, operations: [settings] });
  const bar = new ProgressBar(process.stderr, 'Loading WordNet 3.1');
  const started = performance.now();
  const { nodes, edges } = await writer.loadSample((done, total) => bar.update(done, total));
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  bar.finish(
    `${nodes.toLocaleString('en')} nodes, ${edges.toLocaleString('en')} edges in ${seconds} s`,
  );
  await createSampleEndpoints(endpoints);
}

/** For a person at the terminal: neither a log line nor the one line on stdout. */
function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** As much of the endpoint service as a first start needs. */
interface EndpointCreator {
  create(caller: Caller, endpoint: EndpointFile): Promise<unknown>;
}

const FOLDER = join(import.meta.dirname, '../../../samples/wordnet/endpoints');

/**
 * Creates the endpoints that the README calls, each from the file of its name; those that exist
 * stay as they are.
 */
async function createSampleEndpoints(endpoints: EndpointCreator): Promise<void> {
  for (const endpoint of await readEndpointFiles(FOLDER)) {
    // One after the other: each is checked by the one compiler.
    await endpoints.create(SERVER, endpoint).catch((error: unknown) => {
      if (!(error instanceof Problem && error.code === 'endpoint_exists')) throw error;
    });
  }
}
