/** Latencies in microseconds. */
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

/** `times` are in microseconds. */
export function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}

export async function timed<T>(run: () => T | Promise<T>): Promise<{ value: T; seconds: number }> {
  const start = performance.now();
  const value = await run();
  return { value, seconds: (performance.now() - start) / 1_000 };
}
