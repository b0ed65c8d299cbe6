import fc from 'fast-check';
import { expect, it } from 'vitest';
import { agreementOf, differenceOf, meanOf, meanShareOf, type Verdicts } from './statistics.ts';

const pairs = (both: number, judge: number, person: number, neither: number): Verdicts[] => [
  ...Array.from({ length: both }, () => ({ judge: true, person: true })),
  ...Array.from({ length: judge }, () => ({ judge: true, person: false })),
  ...Array.from({ length: person }, () => ({ judge: false, person: true })),
  ...Array.from({ length: neither }, () => ({ judge: false, person: false })),
];

it('gives a mean with an interval around it, the same each time', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2 }),
      (values) => {
        const { value, low, high, n } = meanOf(values);
        expect(n).toBe(values.length);
        expect(low).toBeLessThanOrEqual((value ?? NaN) + 1e-9);
        expect(high).toBeGreaterThanOrEqual((value ?? NaN) - 1e-9);
        expect(meanOf(values)).toEqual({ value, low, high, n });
      },
    ),
    { numRuns: 30 },
  );
});

it('says null of nothing, and gives one value no interval', () => {
  expect(meanOf([])).toEqual({ value: null, low: null, high: null, n: 0 });
  expect(meanOf([512])).toEqual({ value: 512, low: null, high: null, n: 1 });
  expect(differenceOf([{ now: 1, before: 0 }])).toEqual({
    difference: 1,
    low: null,
    high: null,
    n: 1,
  });
});

it('is not certain of a share since a few questions say the same', () => {
  expect(meanShareOf([])).toEqual({ value: null, low: null, high: null, n: 0 });
  // The values of Wilson's interval for 1 of 1, 0 of 1 and 10 of 10.
  for (const [values, low, high] of [
    [[1], 0.2065, 1],
    [[0], 0, 0.7935],
    [Array.from({ length: 10 }, () => 1), 0.7225, 1],
  ] as const) {
    const found = meanShareOf(values);
    expect([found.value, found.n]).toEqual([values[0], values.length]);
    expect(found.low).toBeCloseTo(low, 3);
    expect(found.high).toBeCloseTo(high, 3);
  }
  expect(meanShareOf([0, 1, 1])).toEqual(meanOf([0, 1, 1]));
});

it('covers the mean of a binomial about as often as it says', () => {
  // The normal approximation of 70 of 100 is 0.61 to 0.79.
  const { low, high } = meanOf(Array.from({ length: 100 }, (_, i) => Number(i < 70)));
  expect(low).toBeCloseTo(0.61, 1);
  expect(high).toBeCloseTo(0.79, 1);
});

it('finds a small change of every question certain, since it compares by pairs', () => {
  const before = Array.from({ length: 40 }, (_, i) => i / 40);
  const changed = differenceOf(before.map((value) => ({ before: value, now: value + 0.05 })));
  expect(changed.difference).toBeCloseTo(0.05);
  expect(changed.low).toBeGreaterThan(0.04);
  const other = differenceOf(before.map((value, i) => ({ before: value, now: before[39 - i]! })));
  expect(other.low).toBeLessThan(0);
  expect(other.high).toBeGreaterThan(0);
});

it("computes Cohen's kappa as the textbook does", () => {
  // Both 20, neither 15, apart 5 and 10: 0.7 observed, 0.5 by chance.
  const { kappa, low, high } = agreementOf(pairs(20, 5, 10, 15));
  expect(kappa).toBeCloseTo(0.4);
  expect(low).toBeLessThan(0.4);
  expect(high).toBeGreaterThan(0.4);
  expect(agreementOf(pairs(10, 0, 0, 10)).kappa).toBe(1);
  expect(agreementOf(pairs(0, 10, 10, 0)).kappa).toBe(-1);
});

it('has no kappa where all verdicts are the same, or there are none', () => {
  expect(agreementOf(pairs(10, 0, 0, 0)).kappa).toBeNull();
  expect(agreementOf([])).toEqual({ kappa: null, low: null, high: null });
});
