import { readdirSync, readFileSync } from 'node:fs';

/** In microseconds, where nothing else is said. */
export interface Latency {
  readonly p50: number;
  readonly p99: number;
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/**
 * Times each call on its own. The subjects of one comparison are interleaved in rounds, so that
 * noise hits all of them.
 */
export function compareLatency(
  subjects: Readonly<Record<string, (index: number) => unknown>>,
  calls: number,
  rounds = 5,
): Record<string, Latency> {
  const times: Record<string, number[]> = {};
  for (const name of Object.keys(subjects)) times[name] = [];
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(subjects)) {
      for (let i = 0; i < calls; i++) {
        const start = process.hrtime.bigint();
        run(i);
        // The first round warms up.
        if (round > 0) times[name]?.push(Number(process.hrtime.bigint() - start) / 1_000);
      }
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, latencyOf(list)]));
}

const ROUNDS = 20;
const CALLS_OF_A_ROUND = 100;

/** Of two calls that wait, in turns. */
export async function latenciesInTurns(
  first: () => Promise<unknown>,
  second: () => Promise<unknown>,
): Promise<readonly [Latency, Latency]> {
  const times: readonly [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [call, into] of [[first, times[0]] as const, [second, times[1]] as const]) {
      for (let i = 0; i < CALLS_OF_A_ROUND; i++) {
        const { seconds } = await timed(call);
        // The first round warms up.
        if (round > 0) into.push(seconds * 1e6);
      }
    }
  }
  return [latencyOf(times[0]), latencyOf(times[1])];
}

export function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** In the unit of `times`. */
export function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}

export async function timed<T>(run: () => T | Promise<T>): Promise<{ value: T; seconds: number }> {
  const start = performance.now();
  const value = await run();
  return { value, seconds: (performance.now() - start) / 1_000 };
}

/**
 * The processor time of each thread of a process, by its name and number, less what it was before.
 * Unlike a wait, it hardly depends on what else the machine does.
 */
export function threadSeconds(
  pid: number,
  before: ReadonlyMap<string, number> = new Map(),
): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const read = (file: string): string =>
      readFileSync(`/proc/${pid}/task/${thread}/${file}`, 'utf8');
    try {
      const name = `${read('comm').trim()} ${thread}`;
      // The first number of the line, in nanoseconds.
      seconds.set(name, Number.parseInt(read('schedstat'), 10) / 1e9 - (before.get(name) ?? 0));
    } catch {
      // It has ended meanwhile.
    }
  }
  return seconds;
}

/** The processor time that a process and those below it have used so far. */
export function processorSeconds(pid: number): number {
  let seconds = 0;
  for (const used of threadSeconds(pid).values()) seconds += used;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const children = readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8');
    for (const child of children.split(' ').filter((text) => text !== '')) {
      seconds += processorSeconds(Number(child));
    }
  }
  return seconds;
}
