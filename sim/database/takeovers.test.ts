import { describe, expect, it } from 'vitest';
import { scale, seed as firstSeed } from '../../test/support/scale.ts';
import type { MemberFaults } from './planted-member-faults.ts';
import { runTakeovers } from './takeovers.ts';
import { simulate } from '../simulate.ts';

const TIMEOUT_MS = 600_000;
const MEMBERS = '--members';

describe('members that share a log in a database', () => {
  const schedules = scale({ sample: 1_000, soak: 10_000 });

  it('lose nothing, and never two of them append', { timeout: TIMEOUT_MS }, async () => {
    const half = schedules / 2;
    const both = [
      simulate(firstSeed(), half, MEMBERS),
      simulate(firstSeed() + half, half, MEMBERS),
    ];
    for (const printed of await Promise.all(both)) {
      expect(printed).toContain(`${half} schedules, 0 failed`);
    }
  });

  it('do the same again with the same seed', { timeout: TIMEOUT_MS }, async () => {
    const traceOf = async (seed: number) =>
      /trace \w+/.exec(await simulate(seed, 20, MEMBERS))?.[0];
    const traces = await Promise.all([traceOf(1), traceOf(1)]);
    expect(traces[0]).toMatch(/trace \w{16}/);
    expect(traces[1]).toBe(traces[0]);
    expect(await traceOf(21)).not.toBe(traces[0]);
  });

  it('get all kinds of trouble, and work in between', async () => {
    let terms = 0;
    let acknowledged = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const result = await runTakeovers(seed);
      terms += result.terms;
      acknowledged += result.acknowledged;
    }
    expect(terms).toBeGreaterThan(60);
    expect(acknowledged).toBeGreaterThan(600);
  });
});

describe('the checkers', () => {
  const SCHEDULES = 2_000;
  const PLANTED: readonly (readonly [keyof MemberFaults, RegExp])[] = [
    ['appliesUnknown', /which is not in the log/],
    ['trustsOwnClock', /appears after the primary of term \d+ has read to the end/],
    ['locksNoRow', /appears after the primary of term \d+ has read to the end/],
    ['raisesNoTerm', /was refused and is in the log/],
    ['believesVisible', /has applied commit \d+|is not what this member follows/],
    ['announcesUnknown', /has applied commit \d+|is not what this member follows/],
    ['confirmsNothing', /was acknowledged and is gone|was given to|is not in the log/],
  ];

  it.each(PLANTED)('find a member that %s', { timeout: TIMEOUT_MS }, async (fault, message) => {
    for (let seed = 1; seed <= SCHEDULES; seed++) {
      const { violations } = await runTakeovers(seed, { faults: { [fault]: true } });
      if (violations.some((violation) => message.test(violation.message))) return;
    }
    expect.unreachable(`nothing was found in ${SCHEDULES} schedules`);
  });
});
