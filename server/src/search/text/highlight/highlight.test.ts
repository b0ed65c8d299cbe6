import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  SEARCH_HIGHLIGHT_CHARACTERS_MAX,
  SEARCH_SNIPPETS_MAX,
  SEARCH_SNIPPET_CHARACTERS_MAX,
} from '#base/search-limits.ts';
import { parseQueryText } from '../query-text/parse-query-text.ts';
import { resolveQuery } from '../query-text/resolve-query.ts';
import type { TextQuery } from '../text-query.ts';
import { Vocabularies } from '../vocabulary/vocabularies.ts';
import { type Snippet, highlight } from './highlight.ts';
import { Analyzers } from '../../analysis/language-analyzer.ts';

const analyzers = new Analyzers();
const en = analyzers.for('en');
const TITLE = 1;
const BODY = 2;

function queryOf(text: string): TextQuery {
  return resolveQuery(parseQueryText(text, new Set(['title', 'body'])), {
    analyzers: [en],
    vocabularies: new Vocabularies([]),
    fuzziness: 0,
    fieldsOf: (name) => [name === 'title' ? TITLE : BODY],
    match: 'all',
  }).query;
}

function snippetsOf(text: string, query: string, field = BODY): Snippet[] {
  return highlight(text, en, queryOf(query), field);
}

/** The snippets with their matches in brackets. */
function marked(text: string, query: string, field = BODY): string[] {
  return snippetsOf(text, query, field).map((snippet) =>
    snippet.matches
      .toReversed()
      .reduce(
        (shown, { start, end }) =>
          `${shown.slice(0, start)}[${shown.slice(start, end)}]${shown.slice(end)}`,
        snippet.text,
      ),
  );
}

test.each([
  ['A cat and two Cats.', 'cat', 'A [cat] and two [Cats].'],
  ['red car, blue car, red cart', '"red car"', '[red] [car], blue car, red cart'],
  ['red car, blue car', '"red car" OR blue', '[red] [car], [blue] car'],
  ['cats running', 'dogs OR run', 'cats [running]'],
  ['cat dog', 'cat -dog', '[cat] dog'],
  ['新東京都庁', '東京都', '新[東京都]庁'],
  ['<b>cat</b> & dog', 'cat', '<b>[cat]</b> & dog'],
  ['x \ud800 cat \udc00', 'cat', 'x \ud800 [cat] \udc00'],
])('%j, searched for %s', (text, query, expected) => {
  expect(marked(text, query)).toEqual([expected]);
});

test('a field is marked only where the query asks for it', () => {
  expect(marked('cat dog', 'title:cat dog', TITLE)).toEqual(['[cat] [dog]']);
  expect(marked('cat dog', 'title:cat dog', BODY)).toEqual(['cat [dog]']);
  expect(marked('cat', 'dog')).toEqual([]);
});

describe('of a long text', () => {
  const filler = 'Nothing of interest stands in this sentence. '.repeat(30);

  test('the passage begins with a sentence', () => {
    const [snippet] = snippetsOf(`${filler}Here a cat sits on the mat. ${filler}`, 'cat');
    expect(snippet!.start % 'Nothing of interest stands in this sentence. '.length).toBe(0);
    expect(snippet!.text).toContain('Here a cat sits on the mat. Nothing');
    expect(snippet!.text.length).toBeLessThanOrEqual(SEARCH_SNIPPET_CHARACTERS_MAX);
  });

  test('passages with more words of the query come before those with more matches', () => {
    const text = `cat cat cat ${filler}cat ${filler}a dog with a cat ${filler}cat cat ${filler}cat`;
    const shown = marked(text, 'cat dog');
    expect(shown).toHaveLength(SEARCH_SNIPPETS_MAX);
    expect(shown.map((one) => one.match(/\[\w+\]/g)?.join(''))).toEqual([
      '[cat][cat][cat]',
      '[dog][cat]',
      '[cat][cat]',
    ]);
  });

  test('only so much is looked at', () => {
    const before = 'a '.repeat(SEARCH_HIGHLIGHT_CHARACTERS_MAX / 2 - 2);
    expect(marked(`${before}cat `, 'cat')).toHaveLength(1);
    expect(marked(`${before}cats`, 'cat')).toHaveLength(1);
    expect(marked(`${before}catsuit`, 'cat')).toEqual([]);
    expect(marked(`${before}    cat`, 'cat')).toEqual([]);
    expect(marked('cat '.repeat(1_000_000), 'cat "cat cat"')).toHaveLength(SEARCH_SNIPPETS_MAX);
  });
});

const WORDS = ['cat', 'cats', 'dog', 'the', '<b>', '語', '東京', 'cat\u0301', 'a'.repeat(90)];
const PIECES = [...WORDS, ' ', ' ', '. ', '\n', 'e\u0301', '👩‍👩‍👧', '𝒳', 'ก็', '\u200b', '-'];

test('passages are parts of the text, cut between characters, with the words that match', () => {
  const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 400, size: 'max' }), (parts) => {
      const text = parts.join('');
      const snippets = snippetsOf(text, 'cat "the dog" 東京');
      const cuts = new Set(Array.from(graphemes.segment(text), ({ index }) => index));
      cuts.add(text.length);
      let last = 0;
      for (const { text: passage, start, matches } of snippets) {
        const end = start + passage.length;
        expect(text.slice(start, end)).toBe(passage);
        expect(start).toBeGreaterThanOrEqual(last);
        expect(passage.length).toBeLessThanOrEqual(SEARCH_SNIPPET_CHARACTERS_MAX);
        expect(cuts.has(start) && cuts.has(end)).toBe(true);
        expect(matches.length).toBeGreaterThan(0);
        let lastMatch = 0;
        for (const match of matches) {
          expect(match.start).toBeGreaterThanOrEqual(lastMatch);
          expect(match.end).toBeGreaterThan(match.start);
          const [token] = en.analyze(passage.slice(match.start, match.end));
          expect(['cat', 'the', 'dog', '東京']).toContain(token?.term);
          lastMatch = match.end;
        }
        last = end;
      }
    }),
    { numRuns: 500 },
  );
});

test('a character without end is cut all the same', () => {
  const text = `${'x '.repeat(200)}cat${'\u0301'.repeat(2_000)}`;
  const endless = en.analyze(text).at(-1)!;
  const query: TextQuery = {
    groups: [
      {
        occurrence: 'must',
        alternatives: [{ kind: 'term', term: endless.term, weight: 1 }],
      },
    ],
  };
  for (const snippet of highlight(text, en, query, BODY)) {
    expect(snippet.text.length).toBeLessThanOrEqual(SEARCH_SNIPPET_CHARACTERS_MAX);
    expect(snippet.matches).toHaveLength(1);
  }
});
