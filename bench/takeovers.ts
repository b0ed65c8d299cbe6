import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from './measure.ts';
import { MEASURED } from './replication.ts';
import type { Report } from './report.ts';
import { type BenchServer, post, putSchema } from './server.ts';
import { SharedLog } from './shared-log.ts';

const NAMES = ['one', 'two', 'three'];
const KILLS = Number(process.env['TRELLIS_BENCH_KILLS'] ?? 100);
const STEPS = Number(process.env['TRELLIS_BENCH_STEPS'] ?? 20);
const LOOK_MS = 10;
/** A member that does not answer is asked again. */
const ANSWER_MS = 1_000;

/** How long three members take no writes when their primary is lost, or steps down. */
export async function benchTakeovers(report: Report): Promise<void> {
  await using shared = await SharedLog.start();
  await using members = new BenchedMembers(shared);
  await members.start();
  const stepped: number[] = [];
  for (let step = 0; step < STEPS; step++) stepped.push(await members.stepDown());
  addTimes(report, {
    what: `no writes after a step-down, worst of ${STEPS}`,
    times: stepped,
    p50: 1_000,
    worst: 1_000,
  });
  const killed: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) killed.push(await members.kill());
  addTimes(report, {
    what: `no writes after kill -9 of the primary, p50 and worst of ${KILLS}`,
    times: killed,
    p50: 6_000,
    worst: 8_000,
  });
}

interface Measured {
  readonly what: string;
  /** Milliseconds. */
  readonly times: readonly number[];
  readonly p50: number;
  readonly worst: number;
}

function addTimes(report: Report, { what, times, p50, worst }: Measured): void {
  const sorted = times.toSorted((a, b) => a - b);
  const [half, last] = [percentile(sorted, 0.5), sorted.at(-1) ?? 0];
  report.add({
    what,
    ours: `p50 ${Math.round(half)} ms, worst ${Math.round(last)} ms`,
    others: ['until another member has acknowledged a commit'],
    ratio: `${(half / p50).toFixed(2)} and ${(last / worst).toFixed(2)}`,
    target: `p50 ${p50} ms, worst ${worst} ms`,
    reached: half <= p50 && last <= worst,
  });
}

class BenchedMembers implements AsyncDisposable {
  readonly #shared: SharedLog;
  readonly #running = new Map<string, BenchServer>();
  #token = '';
  #primary = '';
  #writes = 0;

  constructor(shared: SharedLog) {
    this.#shared = shared;
  }

  async start(): Promise<void> {
    for (const name of NAMES) this.#running.set(name, await this.#shared.member(name));
    const [[name, first] = ['', undefined]] = this.#running;
    if (first === undefined) throw new Error('there is no member');
    this.#token = first.token;
    this.#primary = name;
    await putSchema(first, MEASURED);
  }

  async kill(): Promise<number> {
    const name = this.#primary;
    const killed = this.#member(name);
    process.kill(killed.pid, 'SIGKILL');
    this.#running.delete(name);
    const took = await this.#untilWritten(performance.now(), name);
    this.#running.set(name, await this.#shared.member(name));
    return took;
  }

  async stepDown(): Promise<number> {
    const name = this.#primary;
    const { url } = this.#member(name);
    await post({ url, token: this.#token }, '/api/graph/members/step-down', {});
    const took = await this.#untilWritten(performance.now(), name);
    // It follows before the next one steps down.
    while (!(await isReady(url))) await sleep(LOOK_MS);
    return took;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const member of this.#running.values()) await member[Symbol.asyncDispose]();
  }

  #member(name: string): BenchServer {
    const member = this.#running.get(name);
    if (member === undefined) throw new Error(`${name} does not run`);
    return member;
  }

  /** Milliseconds until one of the others has acknowledged a commit. */
  async #untilWritten(since: number, former: string): Promise<number> {
    for (;;) {
      for (const [name, { url }] of this.#running) {
        if (name === former || !(await this.#write(url))) continue;
        this.#primary = name;
        return performance.now() - since;
      }
      await sleep(LOOK_MS);
    }
  }

  async #write(url: string): Promise<boolean> {
    const key = String(++this.#writes);
    const operations = [{ op: 'addOrUpdate', type: 'Measured', key, fields: { Name: key } }];
    try {
      const { status } = await fetch(`${url}/api/ingest`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#token}` },
        body: JSON.stringify({ operations }),
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      return status === 200;
    } catch {
      return false;
    }
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    return (await fetch(`${url}/api/available-status`, { signal })).status === 200;
  } catch {
    return false;
  }
}
