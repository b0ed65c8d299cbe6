import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INGEST_COMMIT_OPERATIONS_MAX } from '@trellis/contract/limits.ts';
import { openWriter } from '../server/src/app/writer/open-writer.ts';
import { INGEST_COMMITS_IN_FLIGHT_MAX } from '../server/src/base/limits.ts';
import type { GraphWriter } from '../server/src/graph/graph-writer.ts';
import { benchRename } from './rename.ts';
import type { Report } from './report.ts';

const NODES = Number(process.env['TRELLIS_BENCH_RECORDS'] ?? 10_000_000);
/** Nodes between two numbers on stderr. */
const STEP = 200_000;
const COMPARED = 1_000_000;
const TARGET = 0.8;
const TYPE = { type: 'Person', key: 'Email', fields: { Name: 'String', Age: 'Int' } } as const;

/**
 * What one long load takes of the processor for a node, as the graph grows, in process: so nothing
 * but the writer is in the number, and other work on the machine hardly. Then a rename of what was
 * loaded. The number of each step is on stderr; `TRELLIS_BENCH_RECORDS` sets how many nodes are
 * loaded.
 */
export async function benchGrowth(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    const micros = await load(folder);
    const steps = Math.min(COMPARED / STEP, micros.length);
    const [first, last] = [mean(micros.slice(0, steps)), mean(micros.slice(-steps))];
    report.add({
      what: `processor time for a node of a load of ${NODES}: its first million against its last`,
      ours: `${last.toFixed(1)} us`,
      others: [`the first ${first.toFixed(1)} us`],
      ratio: (first / last).toFixed(2),
      target: String(TARGET),
      reached: first / last >= TARGET,
    });
    await benchRename(report, { storage: folder, type: TYPE.type, nodes: NODES, keyOf });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Microseconds of the processor for each node, by step. */
async function load(storage: string): Promise<number[]> {
  await using writer = await openWriter({ storage, masterKey: null, lowMemory: false }, (note) =>
    process.stderr.write(`${note}\n`),
  );
  await writer.graph.commit({ operations: [], schema: { nodes: [TYPE], edges: [] } });
  const micros: number[] = [];
  for (let from = 0; from < NODES; from += STEP) {
    const before = process.cpuUsage();
    await write(writer.graph, from, Math.min(from + STEP, NODES));
    const { user, system } = process.cpuUsage(before);
    micros.push((user + system) / STEP);
    process.stderr.write(`${from + STEP} nodes: ${micros.at(-1)?.toFixed(1)} us each\n`);
  }
  return micros;
}

async function write(graph: GraphWriter, from: number, end: number): Promise<void> {
  const inFlight: Promise<unknown>[] = [];
  for (let start = from; start < end; start += INGEST_COMMIT_OPERATIONS_MAX) {
    if (inFlight.length >= INGEST_COMMITS_IN_FLIGHT_MAX) await inFlight.shift();
    const count = Math.min(INGEST_COMMIT_OPERATIONS_MAX, end - start);
    const operations = Array.from({ length: count }, (_, i) => operationOf(start + i));
    inFlight.push(graph.ingest(operations, { firstIndex: start, author: {} }));
  }
  await Promise.all(inFlight);
}

function operationOf(i: number) {
  const fields = { Name: `Person ${i}`, Age: i % 90 };
  return { op: 'addOrUpdate', type: TYPE.type, key: keyOf(i), fields };
}

function keyOf(i: number): string {
  return `person${i}@example.org`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
