import { USER } from '../server/src/runtime/testing/test-endpoints.ts';
import { openTestPool, type TestPool } from '../server/src/runtime/testing/test-pool.ts';
import type { Report } from './report.ts';

const SECONDS = 3;
const ROUNDS = 3;
const IN_FLIGHT = 32;
/** About a millisecond of computing, and no reads: what workers add is all that it shows. */
const COMPUTING =
  'let n = 1; for (let i = 0; i < 300_000; i++) n = (n * 31 + i) % 1_000_003; return n;';

/**
 * Calls of endpoints a second by the number of workers, without HTTP; of two callers, as one of
 * them never has all workers.
 */
export async function benchEndpoints(report: Report): Promise<void> {
  const best = { one: 0, two: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    best.one = Math.max(best.one, await callsPerSecond(1));
    best.two = Math.max(best.two, await callsPerSecond(2));
  }
  report.add({
    what: 'endpoints that compute, two workers against one',
    ours: `${Math.round(best.two)} calls/s`,
    others: [`one worker ${Math.round(best.one)} calls/s`],
    ratio: (best.two / best.one).toFixed(2),
    target: '1.8',
    reached: best.two / best.one >= 1.8,
  });
}

async function callsPerSecond(workers: number): Promise<number> {
  await using pool = await openTestPool(workers);
  await keepBusy(pool.run, 1);
  return (await keepBusy(pool.run, SECONDS)) / SECONDS;
}

async function keepBusy(run: TestPool['run'], seconds: number): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  let calls = 0;
  const one = async (_: unknown, sender: number): Promise<void> => {
    const caller = { ...USER, userUid: `user ${sender % 2}` };
    while (performance.now() < until) {
      await run(COMPUTING, { caller });
      calls++;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, one));
  return calls;
}
