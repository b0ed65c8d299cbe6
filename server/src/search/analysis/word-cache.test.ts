import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOf, WordCache } from './word-cache.ts';

const GENERATION = 40;
const word = fc.string({ minLength: 1, maxLength: 3, unit: 'binary' });

describe('WordCache', () => {
  it('gives a word as it was kept or not at all, wherever it stands in a text', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 300 }), (words) => {
        const cache = new WordCache(GENERATION);
        for (const one of words) {
          const text = `<${one}>`;
          const end = 1 + one.length;
          const known = cache.get(hashOf(text, 1, end), text, 1, end);
          if (known !== undefined) expect(known.surface).toBe(one);
          else cache.set(one, { surface: one, term: one, surfaceTerm: undefined });
        }
      }),
    );
  });

  it('keeps the words of a generation, and those that are asked for again', () => {
    const cache = new WordCache(GENERATION);
    const find = (text: string) => cache.get(hashOf(text), text, 0, text.length)?.term;
    const add = (text: string) =>
      cache.set(text, { surface: text, term: text, surfaceTerm: undefined });
    add('kept');
    for (let i = 0; i < GENERATION * 10; i++) {
      add(`word${i}`);
      expect(find(`word${i}`)).toBe(`word${i}`);
      expect(find('kept')).toBe('kept');
    }
    expect(find('word0')).toBe(undefined);
  });
});
