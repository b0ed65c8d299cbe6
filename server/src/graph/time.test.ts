import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatTime, parseTime, TIME_MAX_MS, TIME_MIN_MS } from './time.ts';

const aTime = fc.oneof(
  fc.integer({ min: TIME_MIN_MS, max: TIME_MAX_MS }),
  // Times near midnight and near the ends of years, where days change.
  fc
    .tuple(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -2, max: 40_000 }))
    .map(([ms, day]) => day * 86_400_000 + ms),
  fc.constantFrom(TIME_MIN_MS, TIME_MAX_MS, 0, -1),
);

test('a time is printed as ISO 8601 in UTC, and read back', () => {
  fc.assert(
    fc.property(aTime, (ms) => {
      expect(formatTime(ms)).toBe(new Date(ms).toISOString());
      expect(parseTime(formatTime(ms))).toBe(ms);
    }),
    { numRuns: 2_000 },
  );
});

test('the days around the ends of February and of years are printed, in all years', () => {
  const days = [
    [0, 1],
    [1, 28],
    [1, 29],
    [2, 1],
    [11, 31],
  ] as const;
  const wrong: string[] = [];
  for (let year = 0; year <= 9_999; year++) {
    for (const [month, day] of days) {
      const date = new Date(0);
      date.setUTCFullYear(year, month, day);
      if (formatTime(date.getTime()) !== date.toISOString()) wrong.push(date.toISOString());
    }
  }
  expect(wrong).toEqual([]);
});

test('a time with another character means what it means with its zone as an offset', () => {
  const character = fc.constantFrom(...'0123456789-:.TZ /a\u0661');
  fc.assert(
    fc.property(aTime, fc.nat(22), character, (ms, at, other) => {
      const printed = formatTime(ms);
      const text = `${printed.slice(0, at)}${other}${printed.slice(at + 1)}`;
      expect(parseTime(text)).toBe(parseTime(`${text.slice(0, -1)}+00:00`));
    }),
    { numRuns: 5_000 },
  );
});
