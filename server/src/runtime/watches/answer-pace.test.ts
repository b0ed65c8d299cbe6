import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WATCH_ANSWERS_PER_SECOND_MAX } from '#base/watch-limits.ts';
import { AnswerPace } from './answer-pace.ts';

/** The ends of the answers to changes at these times, when an answer takes `costMs`. */
function endsOf(changes: readonly number[], costMs: number): number[] {
  const pace = new AnswerPace();
  const ends: number[] = [];
  let next = 0;
  let now = 0;
  while (next < changes.length) {
    now = Math.max(now, changes[next] ?? 0);
    now += pace.wait(now);
    // One answer is for all that has changed until it begins.
    while (next < changes.length && (changes[next] ?? 0) <= now) next++;
    now += costMs;
    pace.answered(now);
    ends.push(now);
  }
  return ends;
}

const every = (ms: number, untilMs: number): number[] =>
  Array.from({ length: untilMs / ms }, (_, i) => i * ms);

it('answers changes that come now and then at once, also two or three that are close', () => {
  const changes = [0, 10, 20, 2_000, 2_100, 5_000];
  expect(endsOf(changes, 1)).toEqual(changes.map((at) => at + 1));
});

it('spreads answers over the second where changes do not cease', () => {
  const ends = endsOf(every(10, 4_010), 0);
  expect(ends.slice(0, 4)).toEqual([0, 10, 20, 30]);
  expect(ends.slice(4, 8)).toEqual([1_000, 1_250, 1_500, 1_750]);
  // As many as at an even pace from the start.
  expect(ends.length).toBe(1 + 4 * WATCH_ANSWERS_PER_SECOND_MAX);
});

it('holds after a failure until the time that it was given', () => {
  const pace = new AnswerPace();
  pace.answered(0);
  pace.holdUntil(5_000);
  expect(pace.wait(0)).toBe(5_000);
  expect(pace.wait(5_000)).toBe(0);
});

it('gives no more answers in any second than the limit, whatever changes when', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(gaps, fc.integer({ min: 0, max: 400 }), (between, costMs) => {
      let at = 0;
      const ends = endsOf(
        between.map((gap) => (at += gap)),
        costMs,
      );
      for (const [i, end] of ends.entries()) {
        const within = ends.slice(i).filter((other) => other < end + 1_000);
        expect(within.length).toBeLessThanOrEqual(WATCH_ANSWERS_PER_SECOND_MAX);
      }
    }),
  );
});
