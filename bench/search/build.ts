import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import { settingOperation } from '../../server/src/access/settings.ts';
import { IndexThread } from '../../server/src/app/search/index-thread.ts';
import {
  searchBuildThreads,
  searchMemoryBytes,
} from '../../server/src/app/search/index-options.ts';
import { openWriter, type OpenWriter } from '../../server/src/app/writer/open-writer.ts';
import { Followers } from '../../server/src/log/followers.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import type { WriterOperation } from '../../server/src/graph/operations.ts';
import { openLog } from '../../server/src/observe/logger.ts';
import { SEARCH_SETTING } from '../../server/src/search/settings/search-settings.ts';
import { indexFolder } from '../../server/src/search/text/segment-codec.ts';
import { NAMES_BOOST } from './our-index.ts';
import type { Corpus } from './corpus.ts';

const COMMITS_IN_FLIGHT = 3;
const ROUNDS = 3;
/** As a server that nothing is said to. */
const CONFIG = { searchBuildThreads: null, searchMemoryMb: null, lowMemory: false };

const SCHEMA = {
  nodes: [
    {
      type: 'Synset',
      key: 'Code',
      fields: { Names: 'String', Gloss: 'String', Pos: 'String', LexFile: 'String' } as const,
    },
  ],
  edges: [],
};
const FIELDS = {
  Names: { text: { boost: NAMES_BOOST } },
  Gloss: { text: { boost: 1 } },
  Pos: { facet: true },
  LexFile: { facet: true },
};

/** Seconds: with threads that have just started, and the least of the rounds. */
interface Rounds {
  readonly first: number;
  readonly best: number;
}

export interface BuildTimes {
  readonly threads: number;
  readonly several: Rounds;
  readonly one: Rounds;
}

/**
 * How long a server takes to index a corpus that is in its graph: from the commit of the settings
 * that say so until all of it can be found. The threads are those of the server, which read the
 * graph, analyse, build, merge and save.
 */
export async function timeBuilds(corpus: Corpus): Promise<BuildTimes> {
  // As the server does, whose threads start faster so.
  enableCompileCache(join(import.meta.dirname, '../../node_modules/.cache/compile'));
  const storage = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    await using writer = await openWriter({ storage, masterKey: null, lowMemory: false }, (note) =>
      process.stderr.write(`${note}\n`),
    );
    await load(writer, corpus);
    const threads = searchBuildThreads(CONFIG);
    const one = await timeRounds({ storage, writer }, corpus, 1);
    const several = threads === 1 ? one : await timeRounds({ storage, writer }, corpus, threads);
    return { threads, several, one };
  } finally {
    await rm(storage, { recursive: true, force: true });
  }
}

async function load({ graph }: OpenWriter, corpus: Corpus): Promise<void> {
  await graph.commit({ operations: [], schema: SCHEMA });
  const inFlight: Promise<unknown>[] = [];
  for (let from = 0; from < corpus.size; from += INGEST_COMMIT_OPERATIONS_MAX) {
    if (inFlight.length >= COMMITS_IN_FLIGHT) await inFlight.shift();
    const length = Math.min(INGEST_COMMIT_OPERATIONS_MAX, corpus.size - from);
    const operations = Array.from({ length }, (_, i) => operationOf(corpus, from + i));
    inFlight.push(graph.commit({ operations }));
  }
  await Promise.all(inFlight);
}

function operationOf(corpus: Corpus, index: number): WriterOperation {
  const { names: Names, gloss: Gloss, pos: Pos, lexFile: LexFile } = corpus.document(index);
  const fields = { Names, Gloss, Pos, LexFile };
  return { op: 'addOrUpdate', type: 'Synset', key: String(index), fields, timestamp: index };
}

interface Workspace {
  readonly storage: string;
  readonly writer: OpenWriter;
}

/** The settings are taken back between the rounds. */
async function timeRounds(
  { storage, writer }: Workspace,
  { size }: Corpus,
  buildThreads: number,
): Promise<Rounds> {
  const followers = new Followers();
  const { applied } = followers;
  const set = async (searchable: boolean): Promise<void> => {
    const types = { Synset: { searchable, language: 'en', fields: FIELDS } };
    const operations = [settingOperation(SEARCH_SETTING, { types })];
    applied.publish((await writer.graph.commit({ system: true, operations })).sequence, 1);
  };
  await set(false);
  rmSync(indexFolder(storage), { recursive: true, force: true });
  const memoryBytesMax = searchMemoryBytes(CONFIG);
  const { buffer } = followers;
  const options = { storage, masterKey: null, followers: buffer, memoryBytesMax, buildThreads };
  const log = { level: 'warn', folder: null, name: 'bench', secrets: [] } as const;
  const { logger } = openLog({ ...log, clock: systemClock });
  await using index = new IndexThread(options, logger);
  const seconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await until(index, 0);
    const started = performance.now();
    await set(true);
    await until(index, size);
    seconds.push((performance.now() - started) / 1_000);
    await set(false);
  }
  return { first: seconds[0] ?? Infinity, best: Math.min(...seconds) };
}

/** Until the index is whole and has so many documents. */
async function until(index: IndexThread, documents: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  index.onSnapshot(({ state }) => {
    if (state.sequence !== null && state.rebuild === null && state.documents === documents) {
      resolve();
    }
  });
  await promise;
}
