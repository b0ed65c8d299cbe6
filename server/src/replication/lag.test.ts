import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DELAY_MAX_MS,
  INITIAL_LAG,
  LAG_ENGAGE,
  LAG_FULL,
  LAG_RELEASE,
  LAG_TIME_CONSTANT_MS,
  LAG_WINDOW_REPORTS,
  observeLag,
  readLag,
  recommendDelayMs,
} from './lag.ts';
import type { LagState } from './lag.ts';

interface Observation {
  readonly afterMs: number;
  readonly lag: number;
}

const observations = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 20_000 }),
    lag: fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 1_000_000 })),
  }),
  { maxLength: 600 },
);
const START = 1_700_000_000_000;

function observeAll(list: readonly Observation[]): { state: LagState; now: number } {
  let state = INITIAL_LAG;
  let now = START;
  for (const { afterMs, lag } of list) {
    now += afterMs;
    state = observeLag(state, lag, now);
  }
  return { state, now };
}

/**
 * Walks through the time between observations in small steps, with the definition of the average
 * for each.
 */
function naiveEma(list: readonly Observation[], stepsEach: number): number {
  let ema = 0;
  let current: number | undefined;
  for (const { afterMs, lag } of list) {
    for (let i = 0; i < stepsEach; i++) {
      if (current === undefined) break;
      const alpha = 1 - Math.exp(-afterMs / stepsEach / LAG_TIME_CONSTANT_MS);
      ema += alpha * (current - ema);
    }
    current = lag;
  }
  return ema;
}

describe('the lag of the replicas', () => {
  it('is nothing before any report', () => {
    expect(readLag(INITIAL_LAG, START)).toEqual({
      currentLag: 0,
      averageLag: 0,
      emaLag: 0,
      recommendedDelayMs: 0,
    });
  });

  it('has the last value, the mean of the last 240 and the average over time of any history', () => {
    fc.assert(
      fc.property(observations, fc.integer({ min: 1, max: 5 }), (list, steps) => {
        const { state, now } = observeAll(list);
        const { currentLag, averageLag, emaLag } = readLag(state, now);
        const recent = list.slice(-LAG_WINDOW_REPORTS).map(({ lag }) => lag);
        const sum = recent.reduce((total, lag) => total + lag, 0);
        expect(currentLag).toBe(recent.at(-1) ?? 0);
        expect(averageLag).toBeCloseTo(sum / Math.max(1, recent.length), 5);
        expect(emaLag).toBeCloseTo(naiveEma(list, steps), 4);
        expect(state.recent.length).toBeLessThanOrEqual(LAG_WINDOW_REPORTS);
      }),
    );
  });

  it('moves its average by a twentieth in the time between two reports', () => {
    const spike = observeLag(observeLag(INITIAL_LAG, 0, START), 1_000, START + 250);
    expect(readLag(spike, START + 250).emaLag).toBe(0);
    expect(readLag(spike, START + 500).emaLag).toBeCloseTo(1_000 * 0.0488, 1);
    // One report later the spike is over, and hardly to be seen.
    const after = observeLag(spike, 0, START + 500);
    expect(readLag(after, START + 500).emaLag).toBeLessThan(50);
    expect(readLag(after, START + 60_000).emaLag).toBeLessThan(0.001);
  });

  it('settles at the last lag while nobody reports, and is not led astray by a clock that goes back', () => {
    const state = observeLag(INITIAL_LAG, 7_000, START);
    expect(readLag(state, START + 3_600_000).emaLag).toBeCloseTo(7_000, 6);
    expect(readLag(state, START - 1_000).emaLag).toBe(0);
  });
});

describe('the recommended delay', () => {
  it('begins when the average reaches the upper bound and ends at the lower one', () => {
    fc.assert(
      fc.property(observations, (list) => {
        let isEngaged = false;
        let state = INITIAL_LAG;
        let now = START;
        for (const { afterMs, lag } of list) {
          now += afterMs;
          state = observeLag(state, lag, now);
          const { emaLag, recommendedDelayMs } = readLag(state, now);
          if (emaLag >= LAG_ENGAGE) isEngaged = true;
          if (emaLag <= LAG_RELEASE) isEngaged = false;
          const share = Math.min(1, (emaLag - LAG_RELEASE) / (LAG_FULL - LAG_RELEASE));
          expect(recommendedDelayMs).toBe(isEngaged ? Math.round(DELAY_MAX_MS * share) : 0);
        }
      }),
    );
  });

  it('is a whole number from 0 to 2000 and never less for more lag', () => {
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.double({ min: 0, max: 1e15, noNaN: true }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        (isEngaged, lag, more) => {
          const delay = recommendDelayMs(isEngaged, lag);
          expect(Number.isInteger(delay) && delay >= 0 && delay <= 2_000).toBe(true);
          expect(recommendDelayMs(isEngaged, lag + more)).toBeGreaterThanOrEqual(delay);
        },
      ),
    );
    expect(recommendDelayMs(true, LAG_RELEASE)).toBe(0);
    expect(recommendDelayMs(true, LAG_FULL - 1)).toBe(2_000);
    expect(recommendDelayMs(true, (LAG_FULL + LAG_RELEASE) / 2)).toBe(1_000);
    expect(recommendDelayMs(false, LAG_FULL)).toBe(0);
  });

  it('is the same however often it was asked for in between', () => {
    const { state, now } = observeAll([
      { afterMs: 0, lag: 40_000 },
      { afterMs: 60_000, lag: 0 },
    ]);
    expect(readLag(state, now).recommendedDelayMs).toBeGreaterThan(0);
    for (let at = now; at < now + 30_000; at += 100) readLag(state, at);
    const later = now + 30_000;
    expect(readLag(state, later).recommendedDelayMs).toBe(0);
    // It was let go on the way, although nothing was observed then.
    const again = observeLag(state, 10_000, later);
    expect(readLag(again, later + 5_000).recommendedDelayMs).toBe(0);
  });
});
