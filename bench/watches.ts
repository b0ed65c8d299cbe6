import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { seededRandom } from '../test/support/seeded-random.ts';
import { latencyOf, threadSeconds } from './measure.ts';
import type { Report } from './report.ts';
import { startPrimary, startReplica } from './replicated-servers.ts';
import { post, putSchema, type BenchServer } from './server.ts';

const QUESTIONS = Number(process.env['TRELLIS_BENCH_QUESTIONS'] ?? 1_000);
const WATCHES_OF_EACH = 10;
const COMMITS_A_SECOND = 500;
const SECONDS = 10;
const CONNECTIONS = 16;
const OPENED_AT_ONCE = 50;
const TARGETS = { latencyMs: 50, replicaLatencyMs: 100, matchingCores: 1, rate: 0.9 };

const CODE = `// trellis: readOnly
export default async ({ body, graph }: Scope<{ key: string }>) =>
  (await graph.tryGet('Item', body.key))?.Size ?? -1;
`;

/**
 * 10,000 watches of 1,000 questions, while 500 commits a second each change what one question has
 * read: how long after the acknowledgement its watches hear of it, what the matching costs, and
 * what the commits lose. Then the same watches at a replica.
 */
export async function benchWatches(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-bench-'));
  try {
    await using primary = await startPrimary(folder, 'none');
    await putSchema(primary, {
      nodes: [{ type: 'Item', key: 'Name', fields: { Size: 'Int' } }],
      edges: [],
    });
    const client = new TrellisClient({ baseUrl: primary.url, token: primary.token });
    await client.endpoints.create({ name: 'size', code: CODE, isReadOnly: true });
    const commits = new Commits(primary);
    // The first are slower than those that are compared.
    await commits.run();
    const alone = await commits.run();
    const watched = await measure(primary, commits);
    addRows(report, { alone, ...watched });
    await using replica = await startReplica(folder, primary);
    const followed = await measure(replica, commits);
    addLatency(report, 'a watch at a replica', followed.latencies, TARGETS.replicaLatencyMs);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Watched {
  /** Commits a second. */
  readonly beside: number;
  readonly cores: number;
  readonly latencies: readonly number[];
}

/** Commits, while one server has all the watches. */
async function measure(server: BenchServer, commits: Commits): Promise<Watched> {
  using watches = new Watches(server, (size) => commits.acknowledgedAt(size));
  await watches.open();
  const before = threadSeconds(server.pid);
  const beside = await commits.run();
  const matching = [...threadSeconds(server.pid, before)].filter(([name]) =>
    name.startsWith('change '),
  );
  if (matching.length === 0) throw new Error('the server has no thread "change"');
  const cores = matching.reduce((sum, [, seconds]) => sum + seconds, 0) / SECONDS;
  return { beside, cores, latencies: await watches.latencies() };
}

const COUNT = `${QUESTIONS * WATCHES_OF_EACH} watches of ${QUESTIONS} questions`;

function addLatency(
  report: Report,
  who: string,
  latencies: readonly number[],
  targetMs: number,
): void {
  const { p50, p99 } = latencyOf(latencies);
  report.add({
    what: `${COUNT}: from the acknowledgement of a commit until ${who} hears of it`,
    ours: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, of ${latencies.length} values`,
    others: [],
    ratio: (p99 / targetMs).toFixed(2),
    target: `p99 ${targetMs} ms`,
    reached: p99 <= targetMs,
  });
}

function addRows(
  report: Report,
  { alone, beside, cores, latencies }: Watched & { readonly alone: number },
): void {
  addLatency(report, 'a watch', latencies, TARGETS.latencyMs);
  report.add({
    what: `${COUNT}: the thread that matches, at ${beside.toFixed(0)} commits a second`,
    ours: `${cores.toFixed(2)} cores`,
    others: [],
    ratio: (cores / TARGETS.matchingCores).toFixed(2),
    target: `less than ${TARGETS.matchingCores} core`,
    reached: cores < TARGETS.matchingCores,
  });
  report.add({
    what: `commits beside ${COUNT}, of ${COMMITS_A_SECOND} a second that are sent`,
    ours: `${beside.toFixed(0)} a second`,
    others: [`without watches ${alone.toFixed(0)} a second`],
    ratio: (beside / alone).toFixed(2),
    target: `at least ${TARGETS.rate}`,
    reached: beside / alone >= TARGETS.rate,
  });
}

/** Each gives one item a size that none had before. */
class Commits {
  readonly #server: BenchServer;
  readonly #random = seededRandom(17);
  readonly #acknowledged = new Map<number, number>();
  #size = 0;

  constructor(server: BenchServer) {
    this.#server = server;
  }

  acknowledgedAt(size: number): number | undefined {
    return this.#acknowledged.get(size);
  }

  /** Sends them at the rate that is asked for. Answers how many a second there were. */
  async run(): Promise<number> {
    const started = performance.now();
    const until = started + SECONDS * 1_000;
    let sent = 0;
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (performance.now() < until) {
          const turn = started + (sent++ / COMMITS_A_SECOND) * 1_000;
          await sleep(Math.max(0, turn - performance.now()));
          await this.#commit();
        }
      }),
    );
    return sent / ((performance.now() - started) / 1_000);
  }

  async #commit(): Promise<void> {
    const size = ++this.#size;
    const key = keyOf(Math.floor(this.#random() * QUESTIONS));
    const operations = [{ op: 'addOrUpdate', type: 'Item', key, fields: { Size: size } }];
    await post(this.#server, '/api/ingest', { operations });
    this.#acknowledged.set(size, performance.now());
  }
}

/** What they hear, with the time at which it came. */
class Watches implements Disposable {
  readonly #server: BenchServer;
  readonly #acknowledgedAt: (size: number) => number | undefined;
  readonly #agent = new Agent({ maxSockets: Infinity });
  readonly #heard: { readonly size: number; readonly at: number }[] = [];

  constructor(server: BenchServer, acknowledgedAt: (size: number) => number | undefined) {
    this.#server = server;
    this.#acknowledgedAt = acknowledgedAt;
  }

  async open(): Promise<void> {
    const count = QUESTIONS * WATCHES_OF_EACH;
    for (let first = 0; first < count; first += OPENED_AT_ONCE) {
      const some = Array.from({ length: Math.min(OPENED_AT_ONCE, count - first) }, (_, i) =>
        this.#open(keyOf((first + i) % QUESTIONS)),
      );
      await Promise.all(some);
    }
    this.#heard.length = 0;
  }

  /** In milliseconds; a value that was there before its acknowledgement has come at once. */
  async latencies(): Promise<number[]> {
    await sleep(1_000);
    return this.#heard.flatMap(({ size, at }) => {
      const acknowledged = this.#acknowledgedAt(size);
      return acknowledged === undefined ? [] : [Math.max(0, at - acknowledged)];
    });
  }

  /** Resolves with the first value. */
  #open(key: string): Promise<void> {
    const { url, token } = this.#server;
    return new Promise((resolve, reject) => {
      const asked = request(new URL('/api/endpoints/live/size', url), {
        method: 'POST',
        agent: this.#agent,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      });
      // Those that are open when the agent is destroyed end with an error.
      asked.once('error', reject);
      asked.once('response', (response) => {
        response.on('error', () => undefined);
        response.setEncoding('utf8');
        response.on('data', (text: string) => {
          for (const [, size] of text.matchAll(/"value":(-?\d+)\}/g)) {
            this.#heard.push({ size: Number(size), at: performance.now() });
            resolve();
          }
        });
      });
      asked.end(JSON.stringify({ key }));
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

function keyOf(number: number): string {
  return `item ${number}`;
}
