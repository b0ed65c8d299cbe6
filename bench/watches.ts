import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TrellisClient } from '@trellis/client/trellis-client.ts';
import { seededRandom } from '../test/support/seeded-random.ts';
import { latencyOf, threadSeconds } from './measure.ts';
import type { Report } from './report.ts';
import { startPrimary, startReplica } from './replicated-servers.ts';
import { putSchema, type BenchServer } from './server.ts';

const QUESTIONS = Number(process.env['TRELLIS_BENCH_QUESTIONS'] ?? 1_000);
const WATCHES_OF_EACH = 10;
const COMMITS_A_SECOND = 500;
const SECONDS = 10;
const WARM_SECONDS = 3;
const CONNECTIONS = 16;
const OPENED_AT_ONCE = 50;
/** What there is room for in what is noted. */
const SIZES_MAX = 100_000;
const HEARD_MAX = 1_000_000;
const QUIET_MS = 1_000;
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
  // The first are slower, as with commits: their code is compiled while it runs.
  await commits.run(WARM_SECONDS);
  await watches.caughtUp();
  watches.begin();
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
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  readonly #acknowledged = new Float64Array(SIZES_MAX);
  #size = 0;

  constructor(server: BenchServer) {
    this.#server = server;
  }

  /** 0 when it is not. */
  acknowledgedAt(size: number): number {
    return this.#acknowledged[size] ?? 0;
  }

  /** Sends them at the rate that is asked for. Answers how many a second there were. */
  async run(seconds = SECONDS): Promise<number> {
    const started = performance.now();
    const until = started + seconds * 1_000;
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
    await this.#post(JSON.stringify({ operations }));
    this.#acknowledged[size] = performance.now();
  }

  /** Not by `fetch`, which would take half of a processor from those that are measured. */
  async #post(body: string): Promise<void> {
    const { url, token } = this.#server;
    const asked = request(new URL('/api/ingest', url), {
      method: 'POST',
      agent: this.#agent,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    asked.end(body);
    const [response]: IncomingMessage[] = await once(asked, 'response');
    if (response?.statusCode !== 200) throw new Error(`ingest: ${response?.statusCode}`);
    response.resume();
    await once(response, 'end');
  }
}

/**
 * What they hear, with the time at which it came. In flat arrays: what survives makes the collector
 * of this process stop for as long as is measured.
 */
class Watches implements Disposable {
  readonly #server: BenchServer;
  readonly #acknowledgedAt: (size: number) => number;
  readonly #sockets: Socket[] = [];
  readonly #sizes = new Float64Array(HEARD_MAX);
  readonly #times = new Float64Array(HEARD_MAX);
  #heard = 0;

  constructor(server: BenchServer, acknowledgedAt: (size: number) => number) {
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
  }

  /** What was heard until now does not count. */
  begin(): void {
    this.#heard = 0;
  }

  /** Resolves when nothing has come for a moment. */
  async caughtUp(): Promise<void> {
    for (let before = -1; before !== this.#heard;) {
      before = this.#heard;
      await sleep(QUIET_MS);
    }
  }

  /** In milliseconds; a value that was there before its acknowledgement has come at once. */
  async latencies(): Promise<number[]> {
    await this.caughtUp();
    const latencies: number[] = [];
    for (let i = 0; i < this.#heard; i++) {
      const acknowledged = this.#acknowledgedAt(this.#sizes[i] ?? 0);
      if (acknowledged > 0) latencies.push(Math.max(0, (this.#times[i] ?? 0) - acknowledged));
    }
    return latencies;
  }

  /** Resolves with the first value. A client of HTTP for each would take more than the server. */
  #open(key: string): Promise<void> {
    const { hostname, port } = new URL(this.#server.url);
    const body = JSON.stringify({ key });
    const head = [
      'POST /api/endpoints/live/size HTTP/1.1',
      `host: ${hostname}`,
      `authorization: Bearer ${this.#server.token}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ];
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      this.#sockets.push(socket);
      socket.once('error', reject);
      socket.once('end', () => reject(new Error(`the server ends the watch of ${key}`)));
      socket.setEncoding('latin1');
      let rest = '';
      socket.on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const size = /"value":(-?\d+)\}/.exec(line)?.[1];
          if (size === undefined) continue;
          this.#sizes[this.#heard] = Number(size);
          this.#times[this.#heard++] = performance.now();
          resolve();
        }
      });
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    });
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function keyOf(number: number): string {
  return `item ${number}`;
}
