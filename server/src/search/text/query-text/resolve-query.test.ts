import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  SEARCH_EXPANDED_WORDS_MAX,
  SEARCH_QUERY_COMBINATIONS_MAX,
  SEARCH_QUERY_TOKENS_MAX,
} from '#base/search-limits.ts';
import type { Alternative, QueryGroup } from '../text-query.ts';
import { Vocabularies } from '../vocabulary/vocabularies.ts';
import { Vocabulary, VocabularyBuilder } from '../vocabulary/vocabulary.ts';
import { parseQueryText } from './parse-query-text.ts';
import { type ResolvedQuery, type ResolveOptions, resolveQuery } from './resolve-query.ts';
import { Analyzers } from '../../analysis/language-analyzer.ts';

const FIELDS = new Map([
  ['title', [1, 4]],
  ['body', [2]],
]);
const analyzers = new Analyzers();

function vocabularyOf(counts: Readonly<Record<string, number>>): Vocabularies {
  const builder = new VocabularyBuilder();
  for (const word of Object.keys(counts).toSorted()) {
    builder.add({ word, term: 0, documentCount: counts[word]! });
  }
  return new Vocabularies([new Vocabulary(builder.finish())]);
}

const vocabularies = vocabularyOf({
  cat: 100,
  car: 50,
  cart: 20,
  configuration: 7,
  configured: 9,
  graph: 40,
  graphs: 30,
  grapf: 1,
  '2024': 9,
});

function resolve(text: string, options: Partial<ResolveOptions> = {}): ResolvedQuery {
  return resolveQuery(parseQueryText(text, new Set(FIELDS.keys())), {
    analyzers: [analyzers.for('en')],
    vocabularies,
    fuzziness: 0,
    fieldsOf: (name) => FIELDS.get(name) ?? [],
    match: 'all',
    ...options,
  });
}

/**
 * `+` must, `?` should, `-` not; alternatives with their weight below 1; phrases in brackets;
 * fields after `@`.
 */
function outline({ query }: ResolvedQuery): string {
  return query.groups.map(outlineOf).join(' ');
}

function outlineOf({ occurrence, alternatives, fields }: QueryGroup): string {
  const sign = { must: '+', should: '?', not: '-' }[occurrence];
  const place = fields === undefined ? '' : `@${fields.join(',')}`;
  return `${sign}${alternatives.map(outlineOfAlternative).join('|')}${place}`;
}

function outlineOfAlternative(alternative: Alternative): string {
  const weight = alternative.weight === 1 ? '' : `^${alternative.weight}`;
  if (alternative.kind === 'term') return `${alternative.term}${weight}`;
  const words = alternative.words.map(({ offset, terms }) => `${offset}:${terms.join('/')}`);
  return `[${words.join(' ')}]${weight}`;
}

test.each([
  ['Cats running', '+cat +run'],
  ['a OR cat the dog', '+a|cat +dog'],
  ['the of', '+the +of'],
  ['the -cat', '+the -cat'],
  ['cat OR dog -bird', '+cat|dog -bird'],
  ['"to be cats"', '+[0:to 1:be 2:cat]'],
  ['node.js', '+[0:node 1:js]'],
  ['東京都', '+[0:東京 1:京都]'],
  ['title:cat body:(dog bird)', '+cat@1,4 +dog@2 +bird@2'],
  ['title:(cat body:dog)', '+cat@1,4 +dog@2'],
  ['title:cat OR body:dog', '+cat|dog@1,4,2'],
  ['title:cat OR dog', '+cat|dog'],
  ['(cat dog) OR bird', '+cat|bird +dog|bird'],
  ['(a1 b1) OR (c1 d1)', '+a1|c1 +a1|d1 +b1|c1 +b1|d1'],
  ['cat OR -dog', '+cat'],
  ['-(cat dog)', '-cat -dog'],
  ['-(cat OR -dog)', '-cat +dog'],
  ['-title:"cat dog"', '-[0:cat 1:dog]@1,4'],
  ['*** :: -', ''],
  ['"" ()', ''],
  ['configu*', '+configu|configur^0.8'],
  ['big.configu*', '+[0:big 1:configu/configur]'],
  ['-graph*', '-graph'],
])('all words of %j', (text, expected) => {
  expect(outline(resolve(text))).toBe(expected);
});

test.each([
  ['cat dog', '?cat ?dog'],
  ['"cat dog" bird -car', '+[0:cat 1:dog] ?bird -car'],
  ['東京都', '?[0:東京 1:京都] ?東京 ?京都'],
])('any word of %j', (text, expected) => {
  expect(outline(resolve(text, { match: 'any' }))).toBe(expected);
});

test('every language has its term, and a stop word is one in all of them', () => {
  const languages = ['en', 'de', '--'].map((language) => analyzers.for(language));
  expect(outline(resolve('die cats', { analyzers: languages }))).toBe('+die +cat|cats');
  expect(outline(resolve('in cats', { analyzers: languages }))).toBe('+cat|cats');
});

describe('typing errors', () => {
  test('are looked for in words that hardly any document has', () => {
    const outlineAuto = (text: string) => outline(resolve(text, { fuzziness: 'auto' }));
    expect(outlineAuto('caat')).toBe('+caat|cat^0.7|cart^0.7');
    expect(outlineAuto('cat')).toBe('+cat');
    expect(outlineAuto('ca')).toBe('+ca');
    expect(outlineAuto('2023')).toBe('+2023');
    expect(outlineAuto('grapf')).toBe('+grapf|graph^0.7');
    expect(outlineAuto('cofniguratino')).toBe('+cofniguratino|configur^0.45');
    expect(outlineAuto('"caat" -caat')).toBe('+caat -caat');
  });

  test('are as many as asked for', () => {
    expect(outline(resolve('cat', { fuzziness: 1 }))).toBe('+cat|car^0.7|cart^0.7');
    expect(outline(resolve('grapf', { fuzziness: 2 }))).toBe('+grapf|graph^0.7');
  });
});

test('so many words may be typos or prefixes, and what was typed right is not one of them', () => {
  const expanded = (text: string) =>
    resolve(text, { fuzziness: 'auto' }).query.groups.filter(
      ({ alternatives }) => alternatives.length > 1,
    ).length;
  const near = [...'bdefghijklmopqvwxyz'].map((letter) => `ca${letter}`);
  expect(expanded(near.slice(0, SEARCH_EXPANDED_WORDS_MAX - 1).join(' '))).toBe(
    SEARCH_EXPANDED_WORDS_MAX - 1,
  );
  expect(expanded(`${'cat '.repeat(50)} ${near.join(' ')}`)).toBe(SEARCH_EXPANDED_WORDS_MAX);
  expect(expanded('conf* '.repeat(50))).toBe(50);
});

test('words in a row may have synonyms together: each gives way to one', () => {
  const synonymsOf: ResolveOptions['synonymsOf'] = (word) => ({
    synonyms: word === 'new york city' ? [{ term: 'nyc', weight: 0.7 }] : [],
    blocked: new Set(),
  });
  const expand = (text: string) => outline(resolve(text, { synonymsOf, fuzziness: 0 }));
  expect(expand('New York City hotels')).toBe('+new|nyc^0.7 +york|nyc^0.7 +citi|nyc^0.7 +hotel');
  expect(expand('(New York City) OR hotels')).toBe(
    '+new|nyc^0.7|hotel +york|nyc^0.7|hotel +citi|nyc^0.7|hotel',
  );
  expect(expand('new york -city')).toBe('+new +york -citi');
  expect(expand('"new york city"')).toBe('+[0:new 1:york 2:citi]');
});

test('synonyms are alternatives, and typos unless they are blocked', () => {
  const synonymsOf: ResolveOptions['synonymsOf'] = (word, { language }, asked) => ({
    synonyms:
      word === 'cats' && language === 'en' && asked !== 'CATS'
        ? [
            { term: 'Felines', weight: 0.9 },
            { term: 'house pets', weight: 0.5 },
          ]
        : [],
    blocked: new Set(word === 'grapf' ? ['graph'] : []),
  });
  const expand = (text: string) => outline(resolve(text, { synonymsOf, fuzziness: 'auto' }));
  expect(expand('cats')).toBe('+cat|felin^0.9|[0:hous 1:pet]^0.5');
  expect(expand('CATS')).toBe('+cat');
  expect(outline(resolve('grapf', { fuzziness: 'auto' }))).toBe('+grapf|graph^0.7');
  expect(expand('grapf')).toBe('+grapf');
  expect(outline(resolve('"cats"', { synonymsOf }))).toBe('+cat');
});

test('origins say why a term is searched for', () => {
  const { origins } = resolve('caat configu*', { fuzziness: 'auto' });
  expect(origins.get('cat')).toEqual([{ kind: 'typo', asked: 'caat', word: 'cat', weight: 0.7 }]);
  expect(origins.get('configur')).toEqual([
    { kind: 'prefix', asked: 'configu', word: 'configured', weight: 0.8 },
    { kind: 'prefix', asked: 'configu', word: 'configuration', weight: 0.8 },
  ]);
  expect(origins.get('caat')).toMatchObject([{ kind: 'word' }]);
});

test('brackets that multiply out to too much are loosened', () => {
  const pairs = (count: number) =>
    Array.from({ length: count }, (_, i) => `(x${i} y${i})`).join(' OR ');
  const count = Math.log2(SEARCH_QUERY_COMBINATIONS_MAX);
  expect(resolve(pairs(count)).query.groups).toHaveLength(SEARCH_QUERY_COMBINATIONS_MAX);
  expect(resolve(pairs(count + 1)).query.groups).toMatchObject([{ occurrence: 'must' }]);
});

test('a query of too many words once it is analysed is refused', () => {
  const text = '語'.repeat(SEARCH_QUERY_TOKENS_MAX + 1);
  expect(resolve(text).query.groups).toHaveLength(1);
  expect(() => resolve(`${text}語`)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test('any text resolves to groups that the index takes', () => {
  const pieces = [
    'cat',
    'caat',
    'conf',
    'the',
    '東京',
    ' ',
    ' ',
    '"',
    '(',
    ')',
    '-',
    '*',
    'title:',
  ];
  const unit = fc.constantFrom(...pieces, ' OR ', '\u200b', '\u202e', '\ud800', '.');
  fc.assert(
    fc.property(
      fc.string({ unit, maxLength: 30, size: 'max' }),
      fc.constantFrom<'all' | 'any'>('all', 'any'),
      (text, match) => {
        const { query, origins } = resolve(text, { match, fuzziness: 'auto' });
        for (const { alternatives } of query.groups) {
          expect(alternatives.length).toBeGreaterThan(0);
          for (const alternative of alternatives) {
            expect(alternative.weight).toBeGreaterThan(0);
            const terms =
              alternative.kind === 'term'
                ? [alternative.term]
                : alternative.words.flatMap((word) => word.terms);
            expect(terms.length).toBeGreaterThan(0);
            for (const term of terms) expect(origins.get(term)).toBeDefined();
          }
        }
      },
    ),
    { numRuns: 500 },
  );
});
