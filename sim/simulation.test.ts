import { describe, expect, it, vi } from 'vitest';
import { sampled } from '../test/support/scale.ts';
import type { Faults } from './planted-faults.ts';
import { runSchedule } from './simulation.ts';
import { simulate } from './simulate.ts';

vi.mock('@grpc/grpc-js', () => import('./simulated-grpc.ts'));
vi.mock('@grpc/proto-loader', () => import('./proto-loader.ts'));

const TIMEOUT_MS = 600_000;

describe('a primary and its replicas', () => {
  const BATCHES = [1, 251, 501, 751, 1_001, 1_251, 1_501, 1_751];
  const BATCH = 250;

  it.each(sampled(BATCHES, 2))(
    'keep what they promise in the schedules from %i on',
    { timeout: TIMEOUT_MS },
    async (firstSeed) => {
      const half = BATCH / 2;
      const both = [simulate(firstSeed, half), simulate(firstSeed + half, half)];
      const done = `${half} schedules, 0 failed`;
      for (const printed of await Promise.all(both)) expect(printed).toContain(done);
    },
  );

  it('do the same again with the same seed', { timeout: TIMEOUT_MS }, async () => {
    const traceOf = async (seed: number) => /trace \w+/.exec(await simulate(seed, 20))?.[0];
    const traces = await Promise.all([traceOf(1), traceOf(1)]);
    expect(traces[0]).toMatch(/trace \w{16}/);
    expect(traces[1]).toBe(traces[0]);
    expect(await traceOf(21)).not.toBe(traces[0]);
  });
});

describe('the checkers', () => {
  const SCHEDULES = 1_000;
  const PLANTED: readonly (readonly [keyof Faults, RegExp])[] = [
    ['appliesHalves', /serves two commits at once/],
    ['skipsRecords', /serves another state/],
    ['goesBack', /goes back/],
    ['trimsWithoutReplicas', /has reported \d+|needs of the log is gone/],
    ['acknowledgesUnsynced', /was acknowledged and is gone/],
    ['dropsEarly', /is dropped \d+ ms after its last report/],
    ['neverDrops', /is still listed/],
  ];

  it.each(PLANTED)('find a server that %s', { timeout: TIMEOUT_MS }, async (fault, message) => {
    for (let seed = 1; seed <= SCHEDULES; seed++) {
      const { violations } = await runSchedule(seed, { faults: { [fault]: true } });
      if (violations.some((violation) => message.test(violation.message))) return;
    }
    expect.unreachable(`nothing was found in ${SCHEDULES} schedules`);
  });
});
