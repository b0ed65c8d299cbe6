import { expect, it } from 'vitest';
import { LargeCommits } from './large-commits.ts';

const [a, b, c] = [{}, {}, {}];

it('lets small ones pass, and one large one at a time, in the order in which they came', async () => {
  const commits = new LargeCommits(10, 1_000_000);
  expect(commits.grow(a, 10)).toBeUndefined();
  expect([commits.grow(b, 9), commits.grow(a, 20)]).toEqual([undefined, undefined]);
  const began: string[] = [];
  const turns = [
    commits.grow(b, 10)?.then(() => began.push('b')),
    commits.grow(c, 10)?.then(() => began.push('c')),
  ];
  commits.leave(c);
  commits.leave(a);
  await turns[0];
  expect([began, commits.isTurnOf(b)]).toEqual([['b'], true]);
  commits.leave(b);
  await turns[1];
  commits.leave(c);
  expect(commits.grow(a, 10)).toBeUndefined();
});

it('refuses one that takes too long while others wait', () => {
  const commits = new LargeCommits(10, -1);
  commits.grow(a, 10);
  expect(commits.grow(a, 20)).toBeUndefined();
  void commits.grow(b, 10);
  expect(() => commits.grow(a, 30)).toThrow(expect.objectContaining({ code: 'commit_too_large' }));
});
