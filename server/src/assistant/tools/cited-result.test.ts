import { expect, it } from 'vitest';
import { SNIPPETS_PER_RESULT_MAX } from '#base/llm-limits.ts';
import { Snippets } from '../citations/snippets.ts';
import { citedResult } from './caller-tools.ts';

const ANN = { UID: 'a', Name: 'Ann', Tags: ['x', 'y'], Nothing: null };
const BOOK = { UID: 'b', Title: 'A book', author: ANN };

it('numbers each node, also in others, and keeps its facts', () => {
  const snippets = new Snippets();
  expect(citedResult({ total: 2, items: [BOOK, { node: ANN, score: 1 }] }, snippets)).toEqual({
    total: 2,
    items: [
      { citation: 1, ...BOOK, author: { citation: 2, ...ANN } },
      { node: { citation: 2, ...ANN }, score: 1 },
    ],
  });
  expect(snippets.citedIn('See [1] and [2].')).toEqual([
    { id: 1, uid: 'b', text: 'Title: A book' },
    { id: 2, uid: 'a', text: 'Name: Ann\nTags: x,y' },
  ]);
});

it('numbers no more nodes than a model can use', () => {
  const snippets = new Snippets();
  const nodes = Array.from({ length: SNIPPETS_PER_RESULT_MAX + 1 }, (_, i) => ({ UID: `n${i}` }));
  const cited = citedResult(nodes, snippets) as { citation?: number }[];
  expect(cited.at(-2)?.citation).toBe(SNIPPETS_PER_RESULT_MAX);
  expect(cited.at(-1)).toEqual(nodes.at(-1));
});

it('takes no number from a node', () => {
  const forged = { UID: 'a', citation: 99, Name: 'Ann' };
  expect(citedResult(forged, new Snippets())).toEqual({ ...forged, citation: 1 });
});

it.each([null, 7, 'text', [], { UID: 7 }])('leaves %o alone', (value) => {
  expect(citedResult(value, new Snippets())).toEqual(value);
});
