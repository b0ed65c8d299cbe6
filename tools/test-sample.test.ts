import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { leftToOtherCommits, sampledTests } from './test-sample.ts';

const ROOT = resolve(import.meta.dirname, '..');

it('leaves two thirds of the sampled tests to other commits, always the same ones', () => {
  const files = sampledTests(ROOT);
  const left = leftToOtherCommits(ROOT, 'a commit');
  expect(left.length).toBeGreaterThan(files.length / 2);
  expect(left.length).toBeLessThan((files.length * 3) / 4);
  expect(files).toEqual(expect.arrayContaining(left));
  expect(leftToOtherCommits(ROOT, 'a commit')).toEqual(left);
});

it('runs every test for some commit', () => {
  const commits = Array.from({ length: 50 }, (_, i) => `commit ${i}`);
  const [first = [], ...others] = commits.map((commit) => leftToOtherCommits(ROOT, commit));
  expect(first.filter((file) => others.every((left) => left.includes(file)))).toEqual([]);
});
