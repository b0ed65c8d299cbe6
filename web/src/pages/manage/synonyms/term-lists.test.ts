import { expect, test } from 'vitest';
import { languageName, languageOptions } from './languages.ts';
import { mirrored, withWord } from './term-lists.ts';

const LISTS = { Synonyms: ['port'], Alternates: ['harbour'], Blocked: ['arbor'] };

test('a word is in one list only', () => {
  expect(withWord(LISTS, 'Blocked', 'port')).toEqual({
    Synonyms: [],
    Alternates: ['harbour'],
    Blocked: ['arbor', 'port'],
  });
});

test('the other direction is one call for each word, in the list of the same name', () => {
  const none = { Synonyms: [], Alternates: [], Blocked: [] };
  expect(mirrored('harbor', LISTS)).toEqual([
    { token: 'port', lists: { ...none, Synonyms: ['harbor'] } },
    { token: 'harbour', lists: { ...none, Alternates: ['harbor'] } },
    { token: 'arbor', lists: { ...none, Blocked: ['harbor'] } },
  ]);
});

test('languages are offered by name, with the one that is chosen', () => {
  expect(languageName('--')).toBe('Any language');
  expect(languageName('de')).toBe('German');
  expect(languageOptions('--')[0]).toEqual({ value: '--', label: 'Any language' });
  const values = languageOptions('mi').map(({ value }) => value);
  expect(values.filter((value) => value === 'mi')).toHaveLength(1);
  expect(new Set(values).size).toBe(values.length);
});
