import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from './load.ts';
import { median, processorSeconds } from './measure.ts';
import type { Report } from './report.ts';
import { putSchema, startServer, TRELLIS_MAIN, type BenchServer } from './server.ts';

const WRITERS = 64;
const NODES = 4_096;
const ROUNDS = 5;
const PAIRS = 20;
const SECONDS = 1;
const CALLERS = 8;
const TARGETS = { counter: 0.3, speed: 0.95 };
/** The program of another checkout, such as one from before a change, to be compared with. */
const OTHER_MAIN = process.env['TRELLIS_BENCH_OTHER'];

const SCHEMA = {
  nodes: [{ type: 'Counter', key: 'Name', fields: { Value: 'Int' } }],
  edges: [],
};
const ANY = `'n' + Math.floor(Math.random() * ${NODES})`;
const scoped = (code: string): string => `export default async ({ graph, q }: Scope) => {
${code}
};
`;
const COUNT = scoped(`  const { Value } = await graph.get('Counter', 'all');
  await graph.update('Counter', 'all', { Value: (Value ?? 0) + 1 });
  return 0;`);
const BLIND = scoped(`  await graph.update('Counter', ${ANY}, { Value: 1 });
  return 0;`);
/** What calls without conflicts do. */
const QUIET: Readonly<Record<string, string>> = {
  'that reads a node and runs a query': `  const key = ${ANY};
  const one = await graph.get('Counter', key);
  const found = await q().startAt('Counter', key).nodes();
  return found.length + (one.Value ?? 0);`,
  'that reads a node and writes it': `  const key = ${ANY};
  const { Value } = await graph.get('Counter', key);
  await graph.update('Counter', key, { Value: (Value ?? 0) + 1 });
  return 0;`,
};

/** What it costs that each call of an endpoint is a transaction. */
export async function benchTransactions(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    await using server = await prepared(join(folder, 'storage'), TRELLIS_MAIN);
    await benchCounter(report, server);
    await benchReads(report, server);
    if (OTHER_MAIN === undefined) return;
    await using other = await prepared(join(folder, 'other'), OTHER_MAIN);
    for (const [what, code] of Object.entries(QUIET)) {
      await benchQuiet(report, { server, other }, { what, code });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function prepared(storage: string, main: string): Promise<BenchServer> {
  const server = await startServer(storage, 'none', { main });
  await putSchema(server, SCHEMA);
  const names = ['all', ...Array.from({ length: NODES }, (_, i) => `n${i}`)];
  const client = new TrellisClient({ baseUrl: server.url, token: server.token });
  await client.graph.ingest(
    names.map((key) => ({ op: 'addOrUpdate', type: 'Counter', key, fields: { Value: 0 } })),
  );
  return server;
}

async function define(
  { url, token }: BenchServer,
  name: string,
  code: string,
  isReadOnly = false,
): Promise<void> {
  const client = new TrellisClient({ baseUrl: url, token });
  const { diagnostics } = await client.endpoints.create({ name, code, isReadOnly });
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics));
}

/** All writers count on one node; and each writes, without a look, one of many. */
async function benchCounter(report: Report, server: BenchServer): Promise<void> {
  await define(server, 'count', COUNT);
  await define(server, 'blind', BLIND);
  const rates: Record<'count' | 'blind', number[]> = { count: [], blind: [] };
  const processorMs: Record<'count' | 'blind', number[]> = { count: [], blind: [] };
  let counted = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const name of ['count', 'blind'] as const) {
      // Rejects when any of the answers is not a good one.
      const result = await callsOf(server, name, WRITERS);
      if (name === 'count') counted += result.calls;
      if (round === 0) continue;
      rates[name].push(result.rate);
      processorMs[name].push((result.processorSeconds / result.calls) * 1_000);
    }
  }
  const client = new TrellisClient({ baseUrl: server.url, token: server.token });
  await define(server, 'total', scoped(`  return (await graph.get('Counter', 'all')).Value;`));
  const total = await client.endpoints.run('total');
  const ratio = median(rates.count) / median(rates.blind);
  const shown = (name: 'count' | 'blind'): string =>
    `${Math.round(median(rates[name]))} calls/s, each ${median(processorMs[name]).toFixed(2)} ms of a processor`;
  report.add({
    what: `${WRITERS} callers at once count on one node`,
    ours: `${shown('count')}; ${total} after ${counted} good answers`,
    others: [`blind writes of different nodes ${shown('blind')}`],
    ratio: ratio.toFixed(2),
    target: `${TARGETS.counter}, each of them counted`,
    reached: ratio >= TARGETS.counter && total === counted,
  });
}

/** What it costs a call that only reads that it may write: its reads are kept until it ends. */
async function benchReads(report: Report, server: BenchServer): Promise<void> {
  const code = scoped(QUIET['that reads a node and runs a query'] ?? '');
  await define(server, 'may-write', code);
  await define(server, 'read-only', code, true);
  const sides = {
    ours: () => callsOf(server, 'may-write', CALLERS),
    others: () => callsOf(server, 'read-only', CALLERS),
  };
  addSpeed(report, 'that only reads, and may write', {
    ...(await inTurns(sides)),
    other: 'a read-only endpoint',
  });
}

async function benchQuiet(
  report: Report,
  { server, other }: { readonly server: BenchServer; readonly other: BenchServer },
  { what, code }: { readonly what: string; readonly code: string },
): Promise<void> {
  const name = what.replaceAll(' ', '-');
  for (const each of [server, other]) await define(each, name, scoped(code));
  const sides = {
    ours: () => callsOf(server, name, CALLERS),
    others: () => callsOf(other, name, CALLERS),
  };
  addSpeed(report, what, { ...(await inTurns(sides)), other: 'the other program' });
}

interface Speeds {
  /** Calls for each second of a processor. */
  readonly ours: number;
  readonly others: number;
  readonly ratio: number;
}

function addSpeed(
  report: Report,
  what: string,
  { ours, others, ratio, other }: Speeds & { readonly other: string },
): void {
  report.add({
    what: `a call without conflicts ${what}`,
    ours: `${Math.round(ours)} calls in a second of a processor`,
    others: [`${other} ${Math.round(others)}`],
    ratio: ratio.toFixed(3),
    target: String(TARGETS.speed),
    reached: ratio >= TARGETS.speed,
  });
}

/**
 * Medians of short rounds in turns, as the machine may do other things beside; each round of ours
 * is compared with the one after it.
 */
async function inTurns(
  sides: Readonly<Record<'ours' | 'others', () => Promise<CallsMade>>>,
): Promise<Speeds> {
  const speeds: Record<keyof Speeds, number[]> = { ours: [], others: [], ratio: [] };
  const speedOf = async (side: 'ours' | 'others'): Promise<number> => {
    const { calls, processorSeconds: seconds } = await sides[side]();
    return calls / seconds;
  };
  for (let round = 0; round <= PAIRS; round++) {
    const [ours, others] = [await speedOf('ours'), await speedOf('others')];
    if (round === 0) continue;
    speeds.ours.push(ours);
    speeds.others.push(others);
    speeds.ratio.push(ours / others);
  }
  const { ours, others, ratio } = speeds;
  return { ours: median(ours), others: median(others), ratio: median(ratio) };
}

interface CallsMade {
  readonly calls: number;
  readonly rate: number;
  /** Of the server with its workers. */
  readonly processorSeconds: number;
}

async function callsOf(
  { url, token, pid }: BenchServer,
  name: string,
  connections: number,
): Promise<CallsMade> {
  const before = processorSeconds(pid);
  const { requests, requestsPerSecond } = await load({
    url: `${url}/api/endpoints/run/${name}`,
    token,
    body: {},
    connections,
    seconds: SECONDS,
    pauseMs: 0,
  });
  const seconds = processorSeconds(pid) - before;
  return { calls: requests, rate: requestsPerSecond, processorSeconds: seconds };
}
