import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Snippets } from './snippets.ts';

it('the same text of the same node keeps its number', () => {
  const snippets = new Snippets();
  const numbers = [
    snippets.add('a', 'x'),
    snippets.add('b', 'x'),
    snippets.add('a', 'y'),
    snippets.add('a', 'x'),
  ].map(({ id }) => id);
  expect(numbers).toEqual([1, 2, 3, 1]);
});

it('numbers go on after those that were cited before', () => {
  const cited = { id: 7, uid: 'a', text: 'x' };
  const snippets = new Snippets([cited, { id: 3, uid: 'b', text: 'y' }]);
  expect(snippets.add('a', 'x')).toBe(cited);
  expect(snippets.add('c', 'z').id).toBe(8);
  expect(snippets.citedIn('[8] and [3], [7][7], [1]').map(({ id }) => id)).toEqual([3, 7, 8]);
});

it('cites, of whatever a model says, only what it was given', () => {
  const given = fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'y', 'z')));
  const answer = fc
    .array(
      fc.oneof(
        fc.nat(9).map((n) => `[${n}]`),
        fc.string({ maxLength: 5 }),
      ),
    )
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(given, answer, (facts, text) => {
      const snippets = new Snippets();
      const known = new Set(facts.map(([uid, fact]) => snippets.add(uid, fact)));
      for (const snippet of snippets.citedIn(text)) {
        expect(known).toContain(snippet);
        expect(text).toContain(`[${snippet.id}]`);
      }
    }),
  );
});
