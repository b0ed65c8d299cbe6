import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SYNONYMS_MAX } from '@trellis/contract/limits.ts';
import { mergeLists, NO_LISTS, tidyLists } from './synonym-records.ts';

const word = fc.constantFrom('car', 'Car', ' auto', 'Auto ', 'wagon', 'cart', 'VAN', 'van', ' ');
const words = fc.array(word, { maxLength: 8 });
const lists = fc.record({ Synonyms: words, Alternates: words, Blocked: words });
const caseless = (one: string) => one.trim().toLowerCase();
const all = ({ Synonyms, Alternates, Blocked }: typeof NO_LISTS) => [
  ...Synonyms,
  ...Alternates,
  ...Blocked,
];

describe('lists', () => {
  test('have each word once, in one of them, and never the term', () => {
    fc.assert(
      fc.property(lists, (given) => {
        const kept = all(tidyLists('car', given));
        const wanted = new Set(all(given).map(caseless));
        wanted.delete('car');
        wanted.delete('');
        expect(kept.map(caseless).toSorted()).toEqual([...wanted].toSorted());
        expect(kept).toEqual(kept.map((one) => one.trim()));
      }),
    );
  });

  test('stay as they are when they are stored again, or added to themselves', () => {
    fc.assert(
      fc.property(lists, (given) => {
        const tidy = tidyLists('car', given);
        expect(tidyLists('car', tidy)).toEqual(tidy);
        expect(mergeLists('car', tidy, tidy)).toEqual(tidy);
        expect(mergeLists('car', NO_LISTS, given)).toEqual(tidy);
        expect(mergeLists('car', tidy, NO_LISTS)).toEqual(tidy);
      }),
    );
  });

  test('keep what they had when they are added to, but where the new says otherwise', () => {
    fc.assert(
      fc.property(lists, lists, (first, second) => {
        const before = tidyLists('car', first);
        const added = tidyLists('car', second);
        const after = mergeLists('car', before, second);
        for (const name of ['Synonyms', 'Alternates', 'Blocked'] as const) {
          const kept = after[name].map(caseless);
          expect(kept).toEqual(expect.arrayContaining(added[name].map(caseless)));
          const said = new Set(all(added).map(caseless));
          const untouched = before[name].map(caseless).filter((one) => !said.has(one));
          expect(kept.filter((one) => !said.has(one))).toEqual(untouched);
        }
      }),
    );
  });

  test('do not grow without end', () => {
    const many = Array.from({ length: SYNONYMS_MAX }, (_, i) => `word${i}`);
    const before = { ...NO_LISTS, Synonyms: many };
    expect(mergeLists('car', before, { ...NO_LISTS, Synonyms: ['word7'] })).toEqual(before);
    expect(() => mergeLists('car', before, { ...NO_LISTS, Synonyms: ['one more'] })).toThrow(
      'Synonyms would be 101 words',
    );
  });
});
