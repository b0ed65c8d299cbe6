import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rangeText, timeBarsOf, unitsFor } from './time-bars.ts';

const DAY_MS = 86_400_000;

/** What a server counts for some moments. */
function countsOf(moments: readonly number[]) {
  const of = (characters: number, rest: string) => {
    const counts = new Map<string, number>();
    for (const moment of moments) {
      const value = new Date(moment).toISOString().slice(0, characters) + rest;
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [...counts].map(([value, count]) => ({ value, count }));
  };
  return {
    hour: of(13, ':00:00.000Z'),
    day: of(10, 'T00:00:00.000Z'),
    month: of(7, '-01T00:00:00.000Z'),
    year: of(4, '-01-01T00:00:00.000Z'),
  };
}

const at = (...texts: string[]) => timeBarsOf(countsOf(texts.map((text) => Date.parse(text))));

test('are as fine as there is room for', () => {
  expect(at('2026-03-01T10:30Z', '2026-03-01T12:00Z').map(({ label }) => label)).toEqual([
    'Mar 1, 2026, 10:00 AM',
    'Mar 1, 2026, 11:00 AM',
    'Mar 1, 2026, 12:00 PM',
  ]);
  expect(at('2026-03-01', '2026-03-20')).toHaveLength(20);
  expect(at('2026-03-01', '2027-03-01').at(0)).toEqual({
    label: 'March 2026',
    count: 1,
    from: '2026-03-01',
    to: '2026-03-31',
  });
  expect(at('1990-03-01', '2026-03-01')).toHaveLength(37);
  expect(at('0100-03-01', '2026-03-01').at(0)).toEqual({
    label: '100 to 149',
    count: 1,
    from: '0100-01-01',
    to: '0149-12-31',
  });
});

test('are none where one would be all', () => {
  expect(at()).toEqual([]);
  expect(at('2026-03-01T10:00Z', '2026-03-01T10:59Z')).toEqual([]);
});

test('count everything once, without gaps, and few enough', () => {
  const moment = fc.integer({ min: Date.UTC(1000, 0, 1), max: Date.UTC(3000, 0, 1) });
  const spread = fc.integer({ min: 1, max: 1_000 * 365 });
  fc.assert(
    fc.property(moment, spread, fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (...some) => {
      const [first, days, shares] = some;
      const moments = shares.map((share) => Math.floor(first + share * days * DAY_MS));
      const bars = timeBarsOf(countsOf(moments));
      if (bars.length === 0) return;
      expect(bars.length).toBeLessThanOrEqual(90);
      expect(bars.reduce((sum, { count }) => sum + count, 0)).toBe(moments.length);
      for (const [i, { to }] of bars.slice(0, -1).entries()) {
        const next = Date.parse(bars[i + 1]?.from ?? '');
        expect(next - Date.parse(to)).toBe(to.length === 10 ? DAY_MS : 1);
      }
    }),
  );
});

test('a range is said as people read it', () => {
  expect(rangeText('2026-03-01', '2026-03-31')).toBe('Mar 1, 2026 to Mar 31, 2026');
  expect(rangeText('2026-03-01', '2026-03-01')).toBe('Mar 1, 2026');
  expect(rangeText('2026-03-01', undefined)).toBe('From Mar 1, 2026');
  expect(rangeText(undefined, '2026-03-01T10:59:59.999Z')).toBe('Until Mar 1, 2026, 10:59 AM');
});

test('hours are counted where they can be told apart', () => {
  expect(unitsFor('2026-03-01', '2026-03-01')).toContain('hour');
  expect(unitsFor('2026-03-01', '2026-03-31')).not.toContain('hour');
  expect(unitsFor('2026-03-01', undefined)).not.toContain('hour');
});
