import { expect, it } from 'vitest';
import { scale } from '../../test/support/scale.ts';
import { placeOf, withWordnetSearch } from '../../test/support/wordnet-search.ts';
import { EVERYDAY_WORDS } from './everyday-words.ts';

const FIRST_MIN = 95;
const HITS_NAMED = 3;
/** A busy machine takes many times as long as an idle one. */
const PATIENCE_MS = 300_000;

it('has 100 different words', () => {
  expect(new Set(EVERYDAY_WORDS).size).toBe(100);
});

it(
  'a search for an everyday word finds the word of that name first',
  async () => {
    await withWordnetSearch(scale({ sample: 'everyday', soak: 'whole' }), (searcher) => {
      for (const queryOf of [
        (word: string) => word,
        // As somebody types it.
        (word: string) => `(${word} OR ${word}*)`,
        (word: string) => word.toUpperCase(),
      ]) {
        const places = EVERYDAY_WORDS.map((word) => ({
          word,
          place: placeOf(searcher, { query: queryOf(word) }, 'Word', word),
        }));
        expect(places.filter(({ place }) => place > HITS_NAMED)).toEqual([]);
        const first = places.filter(({ place }) => place === 1).length;
        expect(first, queryOf('dog')).toBeGreaterThanOrEqual(FIRST_MIN);
      }
      const others = searcher.search({ query: 'dog', take: 1 }, undefined).total;
      expect(others).toBeGreaterThan(HITS_NAMED);
    });
  },
  PATIENCE_MS,
);
