import { expect, test } from 'vitest';
import { batchesOf, pageAt } from './text-batches.ts';

test.each([
  ['between paragraphs', 'one two three.\n\nfour five', ['one two three.\n\n', 'four five']],
  ['between words', 'one two three four five', ['one two three four ', 'five']],
  ['anywhere, where there is no word', '0123456789abcdefghijkl', ['0123456789abcdefghij', 'kl']],
  ['never within a character', `${'a'.repeat(19)}😀b`, ['a'.repeat(19), '😀b']],
])('a text is cut %s', (_how, text, parts) => {
  const batches = batchesOf(text, 20);
  expect(batches.map(({ start, end }) => text.slice(start, end))).toEqual(parts);
});

test('batches have all that is no white space, at most so much each', () => {
  const text = Array.from({ length: 400 }, (_, i) => `Line ${i} says ${'x'.repeat(i % 70)}.`).join(
    '\n',
  );
  const batches = batchesOf(`${text}${' '.repeat(300)}`, 100);
  expect(
    batches
      .map(({ start, end }) => text.slice(start, end))
      .join('')
      .trimEnd(),
  ).toBe(text);
  expect(Math.max(...batches.map(({ start, end }) => end - start))).toBeLessThanOrEqual(100);
});

test('a place is on a page', () => {
  const at = (place: number) => pageAt([0, 10, 10, 25], place);
  expect([0, 9, 10, 24, 25, 99].map(at)).toEqual([1, 1, 3, 3, 4, 4]);
  expect(pageAt([], 5)).toBeNull();
});
