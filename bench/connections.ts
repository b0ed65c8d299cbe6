import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import { openWriter, type OpenWriter } from '../server/src/app/writer/open-writer.ts';
import { openGraphReader } from '../server/src/graph/open-reader.ts';
import type { QueryEnd, QueryStep } from '../server/src/graph/query/plan.ts';
import { runQuery } from '../server/src/graph/query/run.ts';
import { RowPacker } from '../server/src/graph/rows/row-packer.ts';
import { seededRandom } from '../test/support/seeded-random.ts';
import { compareLatency, latencyOf, timed, type Latency } from './measure.ts';
import { SqliteGraph } from './peers/sqlite.ts';
import type { Report } from './report.ts';
import type { EdgeRow, NodeRow } from './tables.ts';

const NODES = Number(process.env['TRELLIS_BENCH_NODES'] ?? 1_000_000);
const EDGES_PER_NODE = 3;
const COMMITS_IN_FLIGHT = 3;
const CALLS = 500;
const FEW_CALLS = 10;
const WORDS = ['graph', 'team', 'paper', 'river', 'signal', 'garden', 'engine', 'harbour'];

/**
 * Connections of a generated graph of 1 M nodes with texts and 3 M edges, of which a tenth lead to
 * a thousand nodes: questions of the keys, of packed rows, and of SQLite. `TRELLIS_BENCH_NODES`
 * makes the graph smaller.
 */
export async function benchConnections(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    const tables = { nodes: drawNodes(), edges: drawEdges() };
    const storage = join(folder, 'store');
    await using writer = await openWriter({ storage, masterKey: null, lowMemory: false }, (note) =>
      process.stderr.write(`${note}\n`),
    );
    await load(report, writer, tables);
    const sqlite = new SqliteGraph(join(folder, 'peer.sqlite'));
    sqlite.load(tables);
    benchQuestions(report, storage, sqlite);
    sqlite.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function drawNodes(): NodeRow[] {
  const random = seededRandom(7);
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)] ?? '';
  return Array.from({ length: NODES }, (_, id) => ({
    id,
    type: 'Paper',
    key: `paper-${id}`,
    fields: { Title: `The ${word()} of the ${word()}`, Abstract: `${word()} and ${word()}, ${id}` },
  }));
}

/** Each once: SQLite ignores a second one. */
function drawEdges(): EdgeRow[] {
  const random = seededRandom(11);
  const edges: EdgeRow[] = [];
  for (let source = 0; source < NODES; source++) {
    const targets = new Set<number>();
    while (targets.size < EDGES_PER_NODE) {
      const most = random() < 0.1 ? Math.min(1_000, NODES) : NODES;
      targets.add(Math.floor(random() * most));
    }
    for (const target of targets) edges.push({ source, type: 'Cites', target, fields: null });
  }
  return edges;
}

async function load(
  report: Report,
  { graph, state }: OpenWriter,
  { nodes, edges }: { readonly nodes: readonly NodeRow[]; readonly edges: readonly EdgeRow[] },
): Promise<void> {
  const fields = { Title: 'String', Abstract: 'String' } as const;
  await graph.commit({
    operations: [],
    schema: { nodes: [{ type: 'Paper', key: 'Key', fields }], edges: [{ type: 'Cites' }] },
  });
  const node = ({ key, fields: own }: NodeRow) => ({
    op: 'addOrUpdate',
    type: 'Paper',
    key,
    fields: own,
  });
  const reference = (id: number) => ({ type: 'Paper', key: `paper-${id}` });
  const edge = ({ source, target }: EdgeRow) => ({
    op: 'link',
    from: reference(source),
    edge: 'Cites',
    to: reference(target),
  });
  const loaded = await timed(async () => {
    await ingest(nodes, node);
    await ingest(edges, edge);
  });
  const packed = await timed(() => new RowPacker(state.local).pack());
  const share = packed.seconds / loaded.seconds;
  report.add({
    what: `packing the connections of ${nodes.length} nodes and ${edges.length} edges`,
    ours: `${packed.seconds.toFixed(1)} s`,
    others: [`their load ${loaded.seconds.toFixed(1)} s`],
    ratio: share.toFixed(2),
    target: 'at most 0.5 of the load',
    reached: share <= 0.5,
  });

  async function ingest<Row>(rows: readonly Row[], operationOf: (row: Row) => unknown) {
    const inFlight: Promise<unknown>[] = [];
    for (let start = 0; start < rows.length; start += INGEST_COMMIT_OPERATIONS_MAX) {
      if (inFlight.length >= COMMITS_IN_FLIGHT) await inFlight.shift();
      const part = rows.slice(start, start + INGEST_COMMIT_OPERATIONS_MAX).map(operationOf);
      inFlight.push(graph.ingest(part, { firstIndex: start, author: {} }));
    }
    await Promise.all(inFlight);
  }
}

type Ask = (steps: readonly QueryStep[], end: QueryEnd) => unknown;

function benchQuestions(report: Report, storage: string, sqlite: SqliteGraph): void {
  using packed = openGraphReader({ storage, rowMemoryBytes: 1024 * 1024 * 1024 });
  using plain = openGraphReader({ storage, rowMemoryBytes: 0 });
  for (const reader of [packed, plain]) reader.refresh();
  if (packed.packedRows() === undefined) throw new Error('nothing is packed');
  const ofRows: Ask = (steps, end) => runQuery(packed, { steps, end });
  const ofKeys: Ask = (steps, end) => runQuery(plain, { steps, end });

  const random = seededRandom(13);
  const picks = Array.from({ length: CALLS }, () => Math.floor(random() * NODES));
  const uids = picks.map((id) => {
    const found = packed.id({ type: 'Paper', key: `paper-${id}` });
    return (found === undefined ? undefined : packed.uid(found)) ?? '';
  });
  const pick = (i: number): number => picks[i] ?? 0;
  const hops = (ask: Ask, count: number) => (i: number) =>
    Number(
      ask(
        [
          { op: 'startAtUids', uids: [uids[i] ?? ''] },
          { op: 'outMany', hops: count },
        ],
        { end: 'count' },
      ),
    );
  const three = {
    ours: hops(ofRows, 3),
    keys: hops(ofKeys, 3),
    sqlite: (i: number) => sqlite.threeHops(pick(i)),
  };
  expectSame('3 hops', three);
  addReads(report, '3 hops, distinct nodes', compareLatency(three, CALLS), 1);

  const best = (ask: Ask) => () =>
    ask(
      [{ op: 'startAt', type: 'Paper' }, { op: 'sortByConnectivity' }, { op: 'take', count: 10 }],
      { end: 'uids' },
    );
  if (String(best(ofRows)()) !== String(best(ofKeys)())) throw new Error('the best 10 differ');
  const ours = compareLatency({ ours: best(ofRows) }, FEW_CALLS)['ours'];
  addOnce(report, 'best connected 10', 20, ours, {
    keys: once(best(ofKeys)),
    SQLite: once(() => sqlite.bestConnected(10)),
  });
  const summary = (ask: Ask) => () => ask([{ op: 'startAt', type: 'Paper' }], NEIGHBORS_SUMMARY);
  const ofSummary = compareLatency({ ours: summary(ofRows) }, 3)['ours'];
  addOnce(report, 'summary of neighbours', 300, ofSummary, { keys: once(summary(ofKeys)) });
}

const NEIGHBORS_SUMMARY = { end: 'neighborsSummary' } as const;

function once(run: () => unknown): Latency {
  const start = performance.now();
  run();
  return latencyOf([(performance.now() - start) * 1_000]);
}

function expectSame(what: string, subjects: Readonly<Record<string, (i: number) => number>>): void {
  for (let i = 0; i < 100; i++) {
    const answers = Object.values(subjects).map((subject) => subject(i));
    if (new Set(answers).size > 1) throw new Error(`${what}: ${answers.join(', ')}`);
  }
}

function addReads(
  report: Report,
  what: string,
  { ours, keys, sqlite }: Record<string, Latency>,
  target: number,
): void {
  if (ours === undefined || keys === undefined || sqlite === undefined) throw new Error(what);
  const ratio = ours.p50 / sqlite.p50;
  report.add({
    what: `${what} of ${NODES}, p50 (p99)`,
    ours: microseconds(ours),
    others: [`from the keys ${microseconds(keys)}`, `SQLite ${microseconds(sqlite)}`],
    ratio: `${ratio.toFixed(2)} of SQLite's time`,
    target: `at most ${target}`,
    reached: ratio <= target,
  });
}

function addOnce(
  report: Report,
  what: string,
  targetMs: number,
  ours: Latency | undefined,
  others: Readonly<Record<string, Latency>>,
): void {
  if (ours === undefined) throw new Error(what);
  const { keys } = others;
  report.add({
    what: `${what} of ${NODES}, p50`,
    ours: milliseconds(ours),
    others: Object.entries(others).map(([name, latency]) => `${name} ${milliseconds(latency)}`),
    ratio: `${(ours.p50 / (keys?.p50 ?? Infinity)).toFixed(3)} of the time from the keys`,
    target: `${targetMs} ms`,
    reached: ours.p50 <= targetMs * 1_000,
  });
}

function microseconds({ p50, p99 }: Latency): string {
  return `${p50.toFixed(1)} us (${p99.toFixed(0)} us)`;
}

function milliseconds({ p50 }: Latency): string {
  return `${(p50 / 1_000).toFixed(1)} ms`;
}
