import { expect, it } from 'vitest';
import { installedDictFolder, readDictionary } from './dictionary.ts';
import { wordnetGoldenQueries } from './golden-set.ts';

const { synsets } = readDictionary(installedDictFolder());

it('has 500 different queries of three words of a definition, each for another synset', () => {
  const queries = wordnetGoldenQueries(synsets);
  const byKey = new Map(synsets.map((synset) => [synset.key, synset]));
  expect(new Set(queries.map(({ query }) => query)).size).toBe(500);
  expect(new Set(queries.map(({ synset }) => synset)).size).toBe(500);
  for (const { query, synset } of queries) {
    const { gloss = '', lemmas = [] } = byKey.get(synset) ?? {};
    const words = query.split(' ');
    expect(words).toHaveLength(3);
    const defined = lemmas
      .join(' ')
      .toLowerCase()
      .split(/[^a-z]+/);
    for (const word of words) {
      expect(gloss.toLowerCase()).toContain(word);
      expect(defined).not.toContain(word);
    }
  }
});

it('is the same whatever the order of the synsets, and of all parts of speech', () => {
  const queries = wordnetGoldenQueries(synsets);
  expect(wordnetGoldenQueries(synsets.toReversed())).toEqual(queries);
  expect(new Set(queries.map(({ synset }) => synset.charAt(0)))).toEqual(new Set('nvar'));
});
