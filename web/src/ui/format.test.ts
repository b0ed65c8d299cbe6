import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatWritten } from './format.ts';

it.each([
  [Math.fround(0.1), '0.1'],
  [Math.fround(2.71), '2.71'],
  [Math.fround(16_777_216), '16777216'],
  [Math.fround(1e-20), '1e-20'],
  // It has more digits than 32 bits keep.
  [0.1, '0.1'],
  [1 / 3, '0.3333333333333333'],
  [-0.5, '-0.5'],
])('the number %s is written %s', (value, text) => {
  expect(formatWritten(value)).toBe(text);
});

it('a number of 32 bits is written so that it is the same again', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true }), (value) => {
      expect(Math.fround(Number(formatWritten(value)))).toBe(value === 0 ? 0 : value);
    }),
  );
});
