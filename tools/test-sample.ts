import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Tests of a whole server, browser or cluster take nine tenths of all the time. `npm test` runs a
 * part of each kind, which the commit chooses: so each commit is tested by some, all are run by a
 * few commits, and the same commit always gives the same run. The same holds for long lists of
 * cases: `sampled()` in test/support/scale.ts. `npm run soak`, and `npm test` with a path, leave
 * none out.
 */
const FILES_PER_CHOSEN = 6;
/** Each installs everything in an empty root, for minutes: a commit runs one of them. */
export const LONGEST = [
  'test/docs/clean-walk.test.ts',
  'test/package/image.test.ts',
  'test/package/package.test.ts',
];
const THE_LONGEST = 'the longest';
/** Tests that kill servers, cut lines or open browsers take long, too. */
const FILES_PER_CHOSEN_OF: Readonly<Record<string, number>> = {
  'test/cluster': 10,
  'test/crash': 10,
  'test/web': 10,
  [THE_LONGEST]: LONGEST.length,
};
/** Not of a server. */
const WHOLE_FOLDERS = ['test/rules', 'test/support'];
/** They hold for each operation and each document, so each commit that changes one needs them. */
const NEVER_LEFT_OUT = [
  'test/api/access-table.test.ts',
  'test/docs/snippets.test.ts',
  'test/fuzz/contract.test.ts',
];

/** Set by tools/test.ts: tests are left out only where it says so. */
export const SAMPLE_VARIABLE = 'TRELLIS_TEST_SAMPLE';

/**
 * The files that `npm test` leaves to other commits, from the root. `seed`: the name of the commit.
 */
export function leftToOtherCommits(root: string, seed: string): string[] {
  const groupOf = (file: string): string => (LONGEST.includes(file) ? THE_LONGEST : dirname(file));
  return [...Map.groupBy(sampledTests(root), groupOf)].flatMap(([group, files]) => {
    const chosen = Math.ceil(files.length / (FILES_PER_CHOSEN_OF[group] ?? FILES_PER_CHOSEN));
    return shuffled(files, seed).slice(chosen);
  });
}

/** The items in an order that follows from the seed and from what they are. */
export function shuffled<T>(items: readonly T[], seed: string): T[] {
  return items
    .map((item) => ({ item, at: sha256(`${seed} ${JSON.stringify(item)}`) }))
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
    .map(({ item }) => item);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function sampledTests(root: string): string[] {
  const files = globSync('test/*/*.test.ts', { cwd: root });
  return files.filter(
    (file) => !WHOLE_FOLDERS.includes(dirname(file)) && !NEVER_LEFT_OUT.includes(file),
  );
}

/** The commit that is checked out; without Git the seed is the same for ever. */
export function commitName(root: string): string {
  const { stdout, status } = spawnSync('git', ['rev-parse', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : 'no commit';
}
