import { expect, it } from 'vitest';
import { Snippets } from '../citations/snippets.ts';
import { recited } from './research-run.ts';

it('numbers citations in the order in which they come, and leaves out those that are made up', () => {
  const from = new Snippets();
  for (const name of ['a', 'b', 'c']) from.add(name, `Name: ${name}`);
  const into = new Snippets([{ id: 4, uid: 'b', text: 'Name: b' }]);
  const text = 'C [3][03], b [2] and c [3] again [9]; [x] and [ 1 ] stay. A[1]';
  expect(recited(text, from, into)).toBe(
    'C [5][5], b [4] and c [5] again; [x] and [ 1 ] stay. A[6]',
  );
  expect(into.citedIn('[4][5][6]').map(({ uid }) => uid)).toEqual(['b', 'c', 'a']);
});
