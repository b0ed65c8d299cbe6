import { dirname, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { leftToOtherCommits, LONGEST, sampledTests } from './test-sample.ts';

const ROOT = resolve(import.meta.dirname, '..');

it('leaves most of the sampled tests to other commits, always the same ones', () => {
  const files = sampledTests(ROOT);
  const left = leftToOtherCommits(ROOT, 'a commit');
  expect(left.length).toBeGreaterThan(files.length / 2);
  expect(left.length).toBeLessThan((files.length * 9) / 10);
  const run = files.filter((file) => !left.includes(file));
  expect(new Set(run.map((file) => dirname(file)))).toEqual(
    new Set(files.map((file) => dirname(file))),
  );
  expect(files).toEqual(expect.arrayContaining(left));
  expect(leftToOtherCommits(ROOT, 'a commit')).toEqual(left);
});

it('runs every test for some commit, and of the longest one for each', () => {
  const commits = Array.from({ length: 400 }, (_, i) => `commit ${i}`);
  const lefts = commits.map((commit) => leftToOtherCommits(ROOT, commit));
  for (const left of lefts) {
    expect(LONGEST.filter((file) => left.includes(file))).toHaveLength(LONGEST.length - 1);
  }
  const [first = [], ...others] = lefts;
  expect(first.filter((file) => others.every((left) => left.includes(file)))).toEqual([]);
});
