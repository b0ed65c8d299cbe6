import { expect, it } from 'vitest';
import { LOAD_SAMPLES_KEPT } from '#base/limits.ts';
import { LoadSamples } from './load-samples.ts';

function start() {
  const now = { ms: 0, commits: 5, operations: 50, calls: 7, lag: undefined as number | undefined };
  const samples = new LoadSamples({
    clock: { now: () => now.ms },
    counters: () => ({ commits: now.commits, operations: now.operations, calls: now.calls }),
    rssBytes: () => 1_000,
    diskFreeBytes: async () => null,
    lag: async () =>
      now.lag === undefined ? undefined : { currentLag: now.lag, averageLag: 1, emaLag: 0.5 },
  });
  return { now, samples };
}

it('rates are those since the sample before, and never below nothing', async () => {
  const { now, samples } = start();
  Object.assign(now, { ms: 10_000, commits: 10, operations: 250, calls: 7 });
  await samples.take();
  // An endpoint was deleted, and its calls with it.
  Object.assign(now, { ms: 14_000, commits: 12, operations: 254, calls: 0, lag: 3 });
  await samples.take();
  const process = { rssBytes: 1_000, diskFreeBytes: null };
  expect(samples.samples).toEqual([
    {
      at: '1970-01-01T00:00:10.000Z',
      commitsPerSecond: 0.5,
      operationsPerSecond: 20,
      callsPerSecond: 0,
      ...process,
    },
    {
      at: '1970-01-01T00:00:14.000Z',
      commitsPerSecond: 0.5,
      operationsPerSecond: 1,
      callsPerSecond: 0,
      ...process,
      currentLag: 3,
      averageLag: 1,
      emaLag: 0.5,
    },
  ]);
});

it('a clock that was set back gives numbers all the same', async () => {
  const { now, samples } = start();
  Object.assign(now, { ms: -5_000, commits: 6 });
  await samples.take();
  expect(samples.samples[0]?.commitsPerSecond).toBeGreaterThan(0);
  expect(samples.samples[0]?.commitsPerSecond).toBeLessThan(Infinity);
});

it('the oldest go', async () => {
  const { now, samples } = start();
  for (let i = 0; i <= LOAD_SAMPLES_KEPT; i++) {
    now.ms += 10_000;
    await samples.take();
  }
  expect(samples.samples).toHaveLength(LOAD_SAMPLES_KEPT);
  expect(samples.samples[0]?.at).toBe('1970-01-01T00:00:20.000Z');
});
