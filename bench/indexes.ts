import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import { openWriter } from '../server/src/app/writer/open-writer.ts';
import { INGEST_COMMITS_IN_FLIGHT_MAX } from '../server/src/base/limits.ts';
import type { GraphWriter } from '../server/src/graph/graph-writer.ts';
import { IndexBlocks } from '../server/src/graph/indexes/index-blocks.ts';
import { openGraphReader } from '../server/src/graph/open-reader.ts';
import type { QueryEnd, QueryStep } from '../server/src/graph/query/plan.ts';
import { runQuery } from '../server/src/graph/query/run.ts';
import { IndexBuilder } from '../server/src/jobs/index-builder.ts';
import { seededRandom } from '../test/support/seeded-random.ts';
import { compareLatency, timed, type Latency } from './measure.ts';
import { type BookRow, SqliteBooks } from './peers/sqlite-indexed.ts';
import type { Report } from './report.ts';

const BOOKS = 1_000_000;
const WRITTEN = 200_000;
const FIRST_YEAR = 1925;
const YEARS = 100;

const FIELDS = { Number: 'Int', Year: 'Int', Title: 'String' } as const;
const INDEXES = [{ field: 'Number' }, { field: 'Year' }];

/**
 * Indexes of fields, in process, on a million nodes: each question against a look-up by key, and
 * against SQLite with the same indexes; what writes cost with two indexes; and the build of one.
 */
export async function benchIndexes(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    await benchWrites(report, folder);
    const storage = join(folder, 'store');
    const books = drawBooks(BOOKS);
    await load(report, storage, books);
    const sqlite = new SqliteBooks(join(folder, 'peer.sqlite'));
    sqlite.load(books);
    benchReads(report, { storage, sqlite, books });
    sqlite.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function drawBooks(count: number): BookRow[] {
  const random = seededRandom(7);
  return Array.from({ length: count }, (_, i) => ({
    key: `book-${i}`,
    timestampMs: Date.UTC(2020, 0, 1) + Math.floor(random() * 1e11),
    number: i,
    year: FIRST_YEAR + Math.floor(random() * YEARS),
    title: `The book numbered ${i}`,
  }));
}

function openAt(storage: string): ReturnType<typeof openWriter> {
  return openWriter({ storage, masterKey: null, lowMemory: false }, (note) =>
    process.stderr.write(`${note}\n`),
  );
}

async function write(graph: GraphWriter, type: string, books: readonly BookRow[]): Promise<void> {
  const inFlight: Promise<unknown>[] = [];
  for (let start = 0; start < books.length; start += INGEST_COMMIT_OPERATIONS_MAX) {
    if (inFlight.length >= INGEST_COMMITS_IN_FLIGHT_MAX) await inFlight.shift();
    const operations = books
      .slice(start, start + INGEST_COMMIT_OPERATIONS_MAX)
      .map(({ key, timestampMs, number, year, title }) => ({
        op: 'addOrUpdate',
        type,
        key,
        timestamp: timestampMs,
        fields: { Number: number, Year: year, Title: title },
      }));
    inFlight.push(graph.ingest(operations, { firstIndex: start, author: {} }));
  }
  await Promise.all(inFlight);
}

/** The same nodes into a type without an index and into one with two, in turns. */
async function benchWrites(report: Report, folder: string): Promise<void> {
  const books = drawBooks(WRITTEN);
  const seconds = { plain: Infinity, indexed: Infinity };
  for (let round = 0; round < 2; round++) {
    for (const kind of ['plain', 'indexed'] as const) {
      await using writer = await openAt(join(folder, `${kind}-${round}`));
      const type = { type: 'Book', key: 'Key', fields: FIELDS };
      const nodes = [kind === 'plain' ? type : { ...type, indexes: INDEXES }];
      await writer.graph.commit({ operations: [], schema: { nodes, edges: [] } });
      const taken = await timed(() => write(writer.graph, 'Book', books));
      seconds[kind] = Math.min(seconds[kind], taken.seconds);
    }
  }
  const rate = (taken: number): number => Math.round(WRITTEN / taken);
  const share = seconds.plain / seconds.indexed;
  report.add({
    what: `node writes with 2 indexes against none, ${WRITTEN} nodes`,
    ours: `${rate(seconds.indexed)} nodes/s`,
    others: [`none ${rate(seconds.plain)} nodes/s`],
    ratio: share.toFixed(2),
    target: 'at least 0.75',
    reached: share >= 0.75,
  });
}

/** Loads the books, then builds the indexes over them. */
async function load(report: Report, storage: string, books: readonly BookRow[]): Promise<void> {
  await using writer = await openAt(storage);
  const { graph } = writer;
  const type = { type: 'Book', key: 'Key', fields: FIELDS };
  await graph.commit({ operations: [], schema: { nodes: [type], edges: [] } });
  const loaded = await timed(() => write(graph, 'Book', books));
  const nodes = [{ type: 'Book', fields: {}, indexes: INDEXES }];
  await graph.commit({ operations: [], schema: { nodes, edges: [] } });
  const built = await timed(() => build(storage, graph));
  // As the server does, once no commit has come for a moment.
  await new IndexBlocks(writer.state.local).divide();
  const share = built.seconds / loaded.seconds;
  report.add({
    what: `build of 2 indexes over ${books.length} nodes`,
    ours: `${built.seconds.toFixed(1)} s`,
    others: [`load of the nodes ${loaded.seconds.toFixed(1)} s`],
    ratio: share.toFixed(2),
    target: 'at most 1 of the load',
    reached: share <= 1,
  });
}

/** As the server does. */
async function build(storage: string, commits: GraphWriter): Promise<void> {
  using reader = openGraphReader({ storage });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let left = INDEXES.length;
  const job = {
    id: '',
    signal: new AbortController().signal,
    begin: () => undefined,
    report: () => undefined,
    log: () => undefined,
    end: (state: string) => {
      if (state !== 'succeeded') reject(new Error(`the build of an index has ${state}`));
      else if (--left === 0) resolve();
    },
  };
  await using builder = new IndexBuilder({
    reader,
    commits,
    jobs: { start: () => job },
    pause: () => Promise.reject(new Error('there is room')),
    onFailure: reject,
  });
  builder.look();
  await promise;
}

interface Subjects {
  readonly storage: string;
  readonly sqlite: SqliteBooks;
  readonly books: readonly BookRow[];
}

/** What the questions are asked of, and about which books. */
interface Asked {
  readonly report: Report;
  readonly sqlite: SqliteBooks;
  readonly ask: (steps: readonly QueryStep[], end: QueryEnd) => unknown;
  readonly number: (i: number) => number;
  readonly year: (i: number) => number;
}

function benchReads(report: Report, { storage, sqlite, books }: Subjects): void {
  using reader = openGraphReader({ storage });
  reader.refresh();
  const random = seededRandom(11);
  const picks = Array.from({ length: 1_000 }, () => Math.floor(random() * books.length));
  const number = (i: number): number => picks[i] ?? 0;
  const asked: Asked = {
    report,
    sqlite,
    ask: (steps, end) => runQuery(reader, { steps, end }),
    number,
    year: (i) => FIRST_YEAR + 1 + (number(i) % (YEARS - 2)),
  };
  benchEquality(asked);
  benchOrders(asked);
  benchCounts(asked);
}

const BOOKS_START: QueryStep = { op: 'startAt', type: 'Book' };
const NODES_END: QueryEnd = { end: 'nodes' };
const startWhere = (field: string, compare: '=' | '>', value: number): QueryStep => ({
  op: 'startWhere',
  type: 'Book',
  field,
  compare,
  value,
});

function benchEquality({ report, sqlite, ask, number }: Asked): void {
  const key = (i: number): QueryStep => ({
    op: 'startAt',
    type: 'Book',
    keys: [`book-${number(i)}`],
  });
  const equality = compareLatency(
    {
      ours: (i) => ask([startWhere('Number', '=', number(i))], NODES_END),
      key: (i) => ask([key(i)], NODES_END),
      sqlite: (i) => sqlite.byNumber(number(i)),
    },
    1_000,
  );
  const times = ratioOf(equality, 'key');
  add(report, 'equality by an indexed field', equality, `${times.toFixed(2)} of the key`, {
    target: 'at most 3 of a look-up by key, and of SQLite at most 1',
    reached: times <= 3 && ratioOf(equality, 'sqlite') <= 1,
  });
}

function benchOrders({ report, sqlite, ask, year }: Asked): void {
  const take: QueryStep = { op: 'take', count: 5 };
  const range = compareLatency(
    {
      ours: (i) =>
        ask([startWhere('Year', '>', year(i)), { op: 'sortBy', field: 'Year' }, take], NODES_END),
      sqlite: (i) => sqlite.firstFrom(year(i)),
    },
    200,
  );
  add(report, 'range, order and take 5', range, ofSqlite(range), under(range, 200));
  const newest = compareLatency(
    {
      ours: () => ask([BOOKS_START, { op: 'sortByTimestamp' }, take], NODES_END),
      sqlite: () => sqlite.newest(),
    },
    200,
  );
  add(report, 'newest 5 of a type', newest, ofSqlite(newest), under(newest, 200));
}

function benchCounts({ report, sqlite, ask, year }: Asked): void {
  const count = compareLatency(
    {
      ours: (i) => ask([startWhere('Year', '>', year(i))], { end: 'count' }),
      sqlite: (i) => sqlite.countFrom(year(i)),
    },
    20,
    2,
  );
  add(report, 'count of a range', count, ofSqlite(count), under(count, 20_000));
  const groups = compareLatency(
    {
      ours: () => ask([BOOKS_START], { end: 'groupBy', field: 'Year' }),
      sqlite: () => sqlite.years(),
    },
    5,
    2,
  );
  add(report, 'groupBy over an index', groups, ofSqlite(groups), under(groups, 20_000));
}

type Latencies = Readonly<Record<string, Latency>>;

function ratioOf(latencies: Latencies, other: string): number {
  return (latencies['ours']?.p50 ?? NaN) / (latencies[other]?.p50 ?? NaN);
}

function ofSqlite(latencies: Latencies): string {
  return `${ratioOf(latencies, 'sqlite').toFixed(2)} of SQLite`;
}

function under(latencies: Latencies, most: number): { target: string; reached: boolean } {
  const p50 = latencies['ours']?.p50 ?? Infinity;
  return { target: `under ${most / 1_000} ms`, reached: p50 <= most };
}

function add(
  report: Report,
  what: string,
  latencies: Latencies,
  ratio: string,
  verdict: { readonly target: string; readonly reached: boolean },
): void {
  const shown = ({ p50, p99 }: Latency): string => `${p50.toFixed(1)} (${p99.toFixed(0)}) us`;
  const { ours, ...others } = latencies;
  report.add({
    what: `${what}, ${BOOKS} nodes, p50 (p99)`,
    ours: ours === undefined ? '' : shown(ours),
    others: Object.entries(others).map(([name, latency]) => `${name} ${shown(latency)}`),
    ratio,
    ...verdict,
  });
}
