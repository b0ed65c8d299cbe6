import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunksOf } from './embedding-record.ts';

const MAX = 40;

test.each([
  ['between paragraphs', `${'a '.repeat(12)}\n\n${'b '.repeat(12)}`, ['a', 'b']],
  ['between sentences', `${'a'.repeat(24)}. ${'b'.repeat(24)}.`, ['a', 'b']],
  ['between Chinese sentences', `${'甲'.repeat(24)}。${'乙'.repeat(24)}。`, ['甲', '乙']],
  ['between words', `${'a'.repeat(24)} ${'b'.repeat(24)}`, ['a', 'b']],
  ['anywhere, when it must', `${'a'.repeat(40)}${'b'.repeat(24)}`, ['a', 'b']],
])('a text is cut %s', (_where, text, letters) => {
  const chunks = chunksOf(text, MAX);
  expect(chunks.map((chunk) => chunk[0])).toEqual(letters);
});

test('no pair of surrogates is cut apart', () => {
  const chunks = chunksOf('😀'.repeat(30), 41);
  expect(chunks.join('')).toBe('😀'.repeat(30));
  expect(chunks.every((chunk) => chunk.isWellFormed())).toBe(true);
});

test('all of a text is in its chunks, in order, and none is too long', () => {
  const word = fc.constantFrom('ab', 'c.', '甲。', '\n', '\n\n', '   ', '😀', 'x'.repeat(50));
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const text = words.join(' ');
      const chunks = chunksOf(text, MAX);
      expect(chunks.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
      for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(MAX);
    }),
  );
});
