import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  SEARCH_QUERY_CHARACTERS_MAX,
  SEARCH_QUERY_DEPTH_MAX,
  SEARCH_QUERY_TERMS_MAX,
} from '#base/search-limits.ts';
import { parseQueryText, printQuery, type QueryNode } from './parse-query-text.ts';

const fieldNames = new Set(['title', 'body', 'f']);

function parse(text: string): QueryNode[] {
  return parseQueryText(text, fieldNames);
}

/** The tree with every operand in its own brackets and its kind in front. */
function outline(nodes: readonly QueryNode[]): string {
  return nodes.map(outlineOf).join(' ');
}

function outlineOf(node: QueryNode): string {
  if (node.kind === 'word') return node.text;
  if (node.kind === 'prefix') return `${node.text}…`;
  if (node.kind === 'phrase') return `'${node.text}'`;
  if (node.kind === 'field') return `${node.field}[${outlineOf(node.node)}]`;
  if (node.kind === 'not') return `not[${outlineOf(node.node)}]`;
  return `${node.kind}[${outline(node.nodes)}]`;
}

test.each([
  ['', ''],
  ['  red   car ', 'red car'],
  ['red -car', 'red not[car]'],
  ['"red car" blue', "'red car' blue"],
  ['-"red car"', "not['red car']"],
  ['conf* a*b *', 'conf… a*b *'],
  ['a OR b', 'or[a b]'],
  ['a OR b OR c d', 'or[a b c] d'],
  ['d a OR b', 'd or[a b]'],
  ['(d a) OR b', 'or[and[d a] b]'],
  ['a OR (b OR c)', 'or[a or[b c]]'],
  ['(a OR b) OR c', 'or[or[a b] c]'],
  ['a AND b OR c', 'a or[b c]'],
  ['-(a OR b)', 'not[or[a b]]'],
  ['-(-a)', 'not[not[a]]'],
  ['title:red body:(a b)', 'title[red] body[and[a b]]'],
  ['title:"red car" -title:x*', "title['red car'] not[title[x…]]"],
  ['title:(a body:b)', 'title[and[a body[b]]]'],
  ['http://x.y Title:a a:b', 'http://x.y Title:a a:b'],
  ['title: a title:', 'title: a title:'],
  ['title:body:a', 'title[body:a]'],
  ['OR a AND', 'OR a AND'],
  ['a OR', 'a OR'],
  ['a OR OR b', 'a or[OR b]'],
  ['(OR) OR a', 'or[OR a]'],
  ['- -- * : a -', '- not[-] * : a -'],
  ['a) (b "c', 'a b c'],
  ['(a "b) c"', "a 'b) c'"],
  ['“red car” （a OR b）', "'red car' or[a b]"],
  ['() ""', "and[] ''"],
  ['a(b)c"d"', "a b c 'd'"],
  ['or and not', 'or and not'],
  ['a.*[b-c]+$ (x|y)?', 'a.*[b-c]+$ x|y ?'],
])('%j', (text, expected) => {
  expect(outline(parse(text))).toBe(expected);
});

test('nodes say where they stand', () => {
  expect(parse(' red -title:(a b) "c"')).toMatchObject([
    { start: 1, end: 4 },
    {
      start: 5,
      end: 17,
      node: {
        start: 6,
        end: 17,
        node: { start: 12, end: 17, nodes: [{ start: 13, end: 14 }, {}] },
      },
    },
    { start: 18, end: 21 },
  ]);
});

const MARKS = ['a', 'b', ' ', ' ', '"', '(', ')', '-', '*', ':', ' OR ', ' AND ', 'f:', '“', '）'];
const awkward = fc.string({
  unit: fc.constantFrom(...MARKS, 'OR', '\u200b', '\u202e', '\ud800', '\udc00', '𝒳'),
  maxLength: 40,
  size: 'max',
});

test('what is printed is parsed to the same tree', () => {
  fc.assert(
    fc.property(awkward, (text) => {
      const nodes = parse(text);
      expect(outline(parse(printQuery(nodes)))).toBe(outline(nodes));
    }),
    { numRuns: 5_000 },
  );
});

test('words without marks are what stands between the spaces', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'é', ' ', '\t', '+', '語', '\ud83d') }),
      (text) => {
        const words = text.split(/\s+/).filter((word) => word !== '');
        expect(parse(text).map((node) => text.slice(node.start, node.end))).toEqual(words);
        expect(outline(parse(text))).toBe(words.join(' '));
      },
    ),
  );
});

describe('is not larger than it may be', () => {
  const problem = expect.objectContaining({ code: 'invalid_request' });

  test('in characters', () => {
    expect(parse('a'.repeat(SEARCH_QUERY_CHARACTERS_MAX))).toHaveLength(1);
    expect(() => parse('a'.repeat(SEARCH_QUERY_CHARACTERS_MAX + 1))).toThrow(problem);
    expect(() => parse('a '.repeat(500_000))).toThrow(problem);
  });

  test.each(['a ', 'a* ', '"a" '])('in terms such as %j', (term) => {
    expect(parse(term.repeat(SEARCH_QUERY_TERMS_MAX))).toHaveLength(SEARCH_QUERY_TERMS_MAX);
    expect(() => parse(term.repeat(SEARCH_QUERY_TERMS_MAX + 1))).toThrow(problem);
  });

  test('brackets beyond the depth separate words', () => {
    const nested = (depth: number) => `${'(a '.repeat(depth)}b${')'.repeat(depth)}`;
    expect(outline(parse(nested(SEARCH_QUERY_DEPTH_MAX)))).toMatch(/\[a b\]+$/);
    expect(outline(parse(nested(SEARCH_QUERY_DEPTH_MAX + 1)))).toMatch(/\[a a b\]+$/);
  });

  test.each(['(', ')', '"', '-', '(-', '-(', 'f:(', '()', '")', 'f:'])('full of %j', (mark) => {
    const text = mark.repeat(Math.floor(SEARCH_QUERY_CHARACTERS_MAX / mark.length));
    // As many empty brackets or quotes are nodes, but no words to look up.
    expect(() => {
      try {
        parse(text);
      } catch (error) {
        expect(error).toEqual(problem);
      }
    }).not.toThrow();
  });
});
