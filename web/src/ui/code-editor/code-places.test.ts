import { Text } from '@codemirror/state';
import { expect, it } from 'vitest';
import { marksOf } from './code-places.ts';

it('marks errors and remarks from their place to the end of the word, in order', () => {
  const doc = Text.of(['await first;', '  second();']);
  const place = { line: 2, column: 3, code: 0, message: 'Two.' };
  expect(
    marksOf(doc, [
      { ...place, severity: 'info' },
      { line: 1, column: 7, code: 2304, message: 'One.' },
    ]),
  ).toEqual([
    { from: 6, to: 11, severity: 'error', message: 'One.' },
    { from: 15, to: 21, severity: 'info', message: 'Two.' },
  ]);
});
