import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../report.ts';
import { firstLine, putSchema, startServer, type BenchServer } from '../server.ts';

const SECONDS = 20;
const WARM_UP_SECONDS = 5;
const COMMITS_PER_SECOND = 10;
/** Commits of 100 nodes each that are written meanwhile. */
const BULK_COMMITS_PER_SECOND = 50;
const LAG_MS_MAX = 100;
const MEASURED = {
  nodes: [
    { type: 'Measured', key: 'Code', fields: { Code: 'String', Name: 'String', Number: 'Int' } },
  ],
  edges: [],
};

/** How soon what is committed to a server is found, while others write in bulk. */
export async function benchFreshness(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    await using server = await startServer(folder, 'none');
    await putSchema(server, MEASURED);
    await fresh(server, WARM_UP_SECONDS);
    const quiet = await fresh(server, SECONDS);
    const [busy] = await Promise.all([fresh(server, SECONDS), bulk(server)]);
    report.add({
      what: 'search: from the acknowledgement of a commit until it is found over HTTP, p99',
      ours: `${busy.p99.toFixed(0)} ms (p50 ${busy.p50.toFixed(0)} ms) while ${BULK_COMMITS_PER_SECOND * 100} other nodes a second are written`,
      others: [`while nothing else is ${quiet.p99.toFixed(0)} ms (p50 ${quiet.p50.toFixed(0)} ms)`],
      ratio: (busy.p99 / LAG_MS_MAX).toFixed(2),
      target: `below ${LAG_MS_MAX} ms`,
      reached: busy.p99 < LAG_MS_MAX,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Lag {
  readonly p50: number;
  readonly p99: number;
}

async function fresh({ url, token }: BenchServer, seconds: number): Promise<Lag> {
  const args = [url, String(seconds), String(COMMITS_PER_SECOND)];
  return JSON.parse(await runClient('fresh-client.ts', args, token));
}

function bulk({ url, token }: BenchServer): Promise<string> {
  const args = [url, String(SECONDS), String(BULK_COMMITS_PER_SECOND)];
  return runClient('../commit-client.ts', args, token);
}

function runClient(file: string, args: readonly string[], token: string): Promise<string> {
  const command = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, file)];
  const child = spawn(process.execPath, [...command, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(token);
  return firstLine(child);
}
