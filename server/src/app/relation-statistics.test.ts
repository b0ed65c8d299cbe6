import { expect, test } from 'vitest';
import { RelationCounter } from './relation-statistics.ts';

/** A graph that changes all the time, and takes as long to count as is said. */
function counterTaking(tookMs: number) {
  const at = { nowMs: 1_000_000, counts: 0 };
  const count = async () => {
    at.nowMs += tookMs;
    at.counts++;
    return { sequence: at.counts, edges: 0, counted: 0, relations: [] };
  };
  const clock = { now: () => at.nowMs };
  return { at, counter: new RelationCounter({ count, clock, sequence: () => -1 }) };
}

test.each([
  { tookMs: 20, keptMs: 200 },
  { tookMs: 30_000, keptMs: 60_000 },
])('counts that took $tookMs ms are kept for $keptMs ms', async ({ tookMs, keptMs }) => {
  const { at, counter } = counterTaking(tookMs);
  const first = await counter.get();
  at.nowMs += keptMs - 1;
  expect(await counter.get()).toEqual(first);
  at.nowMs += 1;
  expect(await counter.get()).toMatchObject({ sequence: 2 });
});

test('who asks meanwhile shares the count, and while nothing changes it stays', async () => {
  const { at, counter } = counterTaking(10);
  await Promise.all([counter.get(), counter.get()]);
  expect(at.counts).toBe(1);
  const still = new RelationCounter({
    count: async () => ({ sequence: 7, edges: 0, counted: ++at.counts, relations: [] }),
    clock: { now: () => (at.nowMs += 1_000_000) },
    sequence: () => 7,
  });
  expect(await still.get()).toEqual(await still.get());
});
