import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';

/**
 * The tests that kill servers and cut lines take a third of all the time. `npm test` runs a part of
 * them, which the commit chooses: so each commit is tested by some, all are run by a few commits,
 * and the same commit always gives the same run. The same holds for long lists of cases:
 * `sampled()` in test/support/scale.ts. `npm run soak`, and `npm test` with a path, leave none out.
 */
const SAMPLED_FOLDERS = ['test/cluster', 'test/crash'];
/** One file of so many is run. */
const FILES_PER_CHOSEN = 3;

/** Set by tools/test.ts: tests are left out only where it says so. */
export const SAMPLE_VARIABLE = 'TRELLIS_TEST_SAMPLE';

/** The files that `npm test` leaves to other commits, from the root. `seed`: the name of the commit. */
export function leftToOtherCommits(root: string, seed: string): string[] {
  return SAMPLED_FOLDERS.flatMap((folder) => {
    const files = testsIn(root, folder);
    return shuffled(files, seed).slice(Math.ceil(files.length / FILES_PER_CHOSEN));
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
  return SAMPLED_FOLDERS.flatMap((folder) => testsIn(root, folder));
}

function testsIn(root: string, folder: string): string[] {
  return globSync(`${folder}/*.test.ts`, { cwd: root });
}

/** The commit that is checked out; without Git the seed is the same for ever. */
export function commitName(root: string): string {
  const { stdout, status } = spawnSync('git', ['rev-parse', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : 'no commit';
}
