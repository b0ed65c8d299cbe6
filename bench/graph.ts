import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import { wordnetSchema } from '../samples/wordnet/schema.ts';
import { openWriter, type OpenWriter } from '../server/src/app/writer/open-writer.ts';
import { INGEST_COMMITS_IN_FLIGHT_MAX } from '../server/src/base/limits.ts';
import { openGraphReader } from '../server/src/graph/open-reader.ts';
import type { GraphWriter } from '../server/src/graph/graph-writer.ts';
import { RowPacker } from '../server/src/graph/rows/row-packer.ts';
import { runQuery } from '../server/src/graph/query/run.ts';
import { seededRandom } from '../test/support/seeded-random.ts';
import { compareLatency, latenciesInTurns, timed, type Latency } from './measure.ts';
import { GraphologyGraph } from './peers/graphology.ts';
import { SqliteGraph } from './peers/sqlite.ts';
import type { Report } from './report.ts';
import type { NodeRow } from './tables.ts';
import { readWordnet, type Wordnet } from './wordnet.ts';

const CALLS = 1_000;
const PATHS = 40;
/** About what one small commit adds to the log. */
const BARE_WRITE_BYTES = 400;
const PATH_HOPS_MAX = 12;
/** Of SQLite's rate in the same run. */
const LOAD_TARGET = 0.83;
const INDEXED_LOAD_TARGET = 0.5;

/**
 * In process, on WordNet: bulk load, point read, 1 hop, 3 hops, shortest path; every answer is
 * compared with the peers'.
 */
export async function benchGraph(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    const wordnet = readWordnet();
    const sqlite = new SqliteGraph(join(folder, 'peer.sqlite'));
    const graphology = new GraphologyGraph();
    const storage = join(folder, 'store');
    await benchLoad(report, wordnet, { storage, sqlite, graphology });
    benchReads(report, wordnet, { storage, sqlite, graphology });
    sqlite.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Subjects {
  readonly storage: string;
  readonly sqlite: SqliteGraph;
  readonly graphology: GraphologyGraph;
}

async function benchLoad(report: Report, wordnet: Wordnet, subjects: Subjects): Promise<void> {
  const records = wordnet.tables.nodes.length + wordnet.tables.edges.length;
  const writer = await openWriter(
    { storage: subjects.storage, masterKey: null, lowMemory: false },
    (note) => process.stderr.write(`${note}\n`),
  );
  await writer.graph.commit({ operations: [], schema: wordnetSchema });
  const ours = await timed(() => loadOperations(writer.graph, wordnet));
  await benchCommits(report, writer);
  await benchOneCommit(report, writer, join(subjects.storage, 'bare-write'));
  await new RowPacker(writer.state.local).pack();
  await writer[Symbol.asyncDispose]();
  const sqlite = await timed(() => subjects.sqlite.load(wordnet.tables));
  const graphology = await timed(() => subjects.graphology.load(wordnet.tables));
  const rate = (seconds: number): number => Math.round(records / seconds);
  report.add({
    what: `bulk load in process, durable, ${records} records (nodes + edges)`,
    ours: `${rate(ours.seconds)} records/s`,
    others: [
      `SQLite ${rate(sqlite.seconds)} records/s`,
      `graphology (memory) ${rate(graphology.seconds)} records/s`,
    ],
    ratio: `${(sqlite.seconds / ours.seconds).toFixed(2)} of SQLite`,
    target: String(LOAD_TARGET),
    reached: sqlite.seconds / ours.seconds >= LOAD_TARGET,
  });
  const indexed = await timedIndexedLoad(wordnet, `${subjects.storage}-indexed`);
  report.add({
    what: 'the same load with indexes on two fields',
    ours: `${rate(indexed)} records/s`,
    others: [`SQLite without them ${rate(sqlite.seconds)} records/s`],
    ratio: `${(sqlite.seconds / indexed).toFixed(2)} of SQLite`,
    target: String(INDEXED_LOAD_TARGET),
    reached: sqlite.seconds / indexed >= INDEXED_LOAD_TARGET,
  });
}

/** Seconds of the load into a schema with indexes on two fields of the synsets. */
async function timedIndexedLoad(wordnet: Wordnet, storage: string): Promise<number> {
  await using writer = await openWriter({ storage, masterKey: null, lowMemory: false }, (note) =>
    process.stderr.write(`${note}\n`),
  );
  const indexes = [{ field: 'Pos' }, { field: 'LexFile' }];
  const nodes = wordnetSchema.nodes.map((type) =>
    type.type === 'Synset' ? { ...type, indexes } : type,
  );
  await writer.graph.commit({ operations: [], schema: { ...wordnetSchema, nodes } });
  return (await timed(() => loadOperations(writer.graph, wordnet))).seconds;
}

async function loadOperations(graph: GraphWriter, { operations }: Wordnet): Promise<void> {
  const inFlight: Promise<unknown>[] = [];
  for (let start = 0; start < operations.length; start += INGEST_COMMIT_OPERATIONS_MAX) {
    if (inFlight.length >= INGEST_COMMITS_IN_FLIGHT_MAX) await inFlight.shift();
    const batch = operations.slice(start, start + INGEST_COMMIT_OPERATIONS_MAX);
    inFlight.push(graph.ingest(batch, { firstIndex: start, author: {} }));
  }
  await Promise.all(inFlight);
}

/** Commits one small word after the other. */
export function smallCommits({ graph }: OpenWriter, prefix: string): () => Promise<unknown> {
  let next = 0;
  return () => {
    const fields = { Lemma: `${prefix} ${next++}` };
    return graph.commit({
      operations: [{ op: 'addOrUpdate', type: 'Word', key: fields.Lemma, fields }],
    });
  };
}

/** One small durable commit, against a write of as many bytes to a file and its sync. */
async function benchOneCommit(report: Report, writer: OpenWriter, path: string): Promise<void> {
  await using file = await open(path, 'w');
  const bytes = Buffer.alloc(BARE_WRITE_BYTES, 1);
  let end = 0;
  const bare = async (): Promise<void> => {
    await file.write(bytes, 0, bytes.length, end);
    await file.datasync();
    end += bytes.length;
  };
  const [ours, synced] = await latenciesInTurns(smallCommits(writer, 'one'), bare);
  const ratio = ours.p50 / synced.p50;
  report.add({
    what: 'one small durable commit, p50 (p99)',
    ours: microseconds(ours),
    others: [`a bare synced write ${microseconds(synced)}`],
    ratio: `${ratio.toFixed(2)} of the write's time`,
    target: 'at most 2',
    reached: ratio <= 2,
  });
}

/** One small durable commit after the other, against 64 callers at once. */
async function benchCommits(report: Report, writer: OpenWriter): Promise<void> {
  const commit = smallCommits(writer, 'bench');
  const caller = async (commits: number): Promise<void> => {
    for (let i = 0; i < commits; i++) await commit();
  };
  await caller(200);
  const single = await timed(() => caller(2_000));
  const many = await timed(() => Promise.all(Array.from({ length: 64 }, () => caller(500))));
  const oneRate = 2_000 / single.seconds;
  const manyRate = 32_000 / many.seconds;
  report.add({
    what: '64 concurrent small durable commits against one at a time',
    ours: `${Math.round(manyRate)} commits/s`,
    others: [`one at a time ${Math.round(oneRate)} commits/s`],
    ratio: (manyRate / oneRate).toFixed(1),
    target: '10',
    reached: manyRate / oneRate >= 10,
  });
}

function benchReads(report: Report, wordnet: Wordnet, subjects: Subjects): void {
  const { storage, sqlite, graphology } = subjects;
  using reader = openGraphReader({ storage });
  reader.refresh();
  const picks = pickSynsets(wordnet);
  const at = (i: number): NodeRow => picks[i] ?? fail('no such pick');
  const ids = picks.map((pick) => reader.id({ type: 'Synset', key: pick.key }) ?? fail(pick.key));
  const uids = ids.map((id) => reader.uid(id) ?? fail(`id ${id}`));
  const id = (i: number): number => ids[i] ?? fail('no such id');
  const uid = (i: number): string => uids[i] ?? fail('no such UID');

  const point = compareLatency(
    {
      ours: (i) => reader.node(reader.id({ type: 'Synset', key: at(i).key }) ?? 0),
      sqlite: (i) => sqlite.point('Synset', at(i).key),
      graphology: (i) => graphology.point('Synset', at(i).key),
    },
    CALLS,
  );
  addRead(report, 'point read by key, the whole node', point);

  const hop = {
    ours: (i: number) => reader.neighbors(id(i), 'out').length,
    sqlite: (i: number) => sqlite.hop(at(i).id).length,
    graphology: (i: number) => graphology.hop(at(i).id).length,
  };
  expectSame('1 hop', [hop.sqlite, hop.ours]);
  addRead(report, '1 hop', compareLatency(hop, CALLS));

  const threeHops = {
    ours: (i: number): number => {
      const steps = [
        { op: 'startAtUids', uids: [uid(i)] },
        { op: 'outMany', hops: 3 },
      ] as const;
      return Number(runQuery(reader, { steps, end: { end: 'count' } }));
    },
    sqlite: (i: number) => sqlite.threeHops(at(i).id),
    graphology: (i: number) => graphology.threeHops(at(i).id),
  };
  expectSame('3 hops', [threeHops.sqlite, threeHops.ours, threeHops.graphology]);
  const hops = compareLatency(threeHops, CALLS);
  addRead(report, '3 hops, distinct nodes', hops, 0.2);
  addGraphologyRatio(report, hops);

  const path = {
    ours: (i: number): number | null => {
      const steps = [{ op: 'startAtUids', uids: [uid(i)] }] as const;
      const end = { end: 'shortestPath', to: uid(i + 1), maxHops: PATH_HOPS_MAX } as const;
      const found = runQuery(reader, { steps, end: { ...end, direction: 'out' } });
      return pathLength(found);
    },
    sqlite: (i: number) => sqlite.pathLength(at(i).id, at(i + 1).id, PATH_HOPS_MAX),
    graphology: (i: number) => graphology.pathLength(at(i).id, at(i + 1).id, PATH_HOPS_MAX),
  };
  expectSame('shortest path', [path.graphology, path.ours, path.sqlite], 10);
  addRead(report, 'shortest path', compareLatency(path, PATHS, 1));
}

/** Nouns, which are all connected; the same ones in every run. */
function pickSynsets({ tables }: Wordnet): NodeRow[] {
  const nouns = tables.nodes.filter((row) => row.fields['Pos'] === 'noun');
  const random = seededRandom(7);
  return Array.from(
    { length: CALLS },
    () => nouns[Math.floor(random() * nouns.length)] ?? fail('no noun'),
  );
}

function pathLength(found: unknown): number | null {
  if (typeof found !== 'object' || found === null || !('edges' in found)) return null;
  return Array.isArray(found.edges) ? found.edges.length : null;
}

function expectSame(
  what: string,
  subjects: readonly ((i: number) => number | null)[],
  calls = 100,
): void {
  for (let i = 0; i < calls; i++) {
    const answers = subjects.map((subject) => subject(i));
    if (new Set(answers).size > 1) fail(`${what}: the answers differ: ${answers.join(', ')}`);
  }
}

function addRead(report: Report, what: string, latency: Record<string, Latency>, most = 1): void {
  const { ours, sqlite, graphology } = latency;
  if (ours === undefined || sqlite === undefined || graphology === undefined) fail(what);
  report.add({
    what: `${what}, p50 (p99)`,
    ours: microseconds(ours),
    others: [`SQLite ${microseconds(sqlite)}`, `graphology ${microseconds(graphology)}`],
    ratio: `${(ours.p50 / sqlite.p50).toFixed(2)} of SQLite's time`,
    target: `at most ${most}`,
    reached: ours.p50 <= most * sqlite.p50,
  });
}

function addGraphologyRatio(report: Report, { ours, graphology }: Record<string, Latency>): void {
  if (ours === undefined || graphology === undefined) fail('3 hops');
  const ratio = ours.p50 / graphology.p50;
  report.add({
    what: '3 hops against graphology in memory, p50',
    ours: microseconds(ours),
    others: [`graphology ${microseconds(graphology)}`],
    ratio: `${ratio.toFixed(2)} of graphology's time`,
    target: 'at most 3',
    reached: ratio <= 3,
  });
}

function microseconds({ p50, p99 }: Latency): string {
  return `${p50.toFixed(1)} us (${p99.toFixed(0)} us)`;
}

function fail(why: string): never {
  throw new Error(why);
}
