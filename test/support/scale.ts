import { resolve } from 'node:path';
import { commitName, SAMPLE_VARIABLE, shuffled } from '../../tools/test-sample.ts';

/**
 * How much a randomized test does. `npm test` runs a sample, always the same one;
 * `npm run soak -- --seed N` runs the tests that import this file at full size, each from the seed
 * N, which it prints: the same seed gives the same run.
 */
const SAMPLE_SEED = 1;

/** Set by tools/soak.ts: the seed of a soak run. */
const soakSeed = process.env['TRELLIS_SOAK'];

export function scale<T>(sizes: { readonly sample: T; readonly soak: T }): T {
  return soakSeed === undefined ? sizes.sample : sizes.soak;
}

export function seed(): number {
  return soakSeed === undefined ? SAMPLE_SEED : Number(soakSeed);
}

/**
 * So many of the cases in a run of all tests, in their order: the commit that is checked out
 * chooses which, so that a few commits run all of them. A soak run and a run of some files leave
 * none out.
 */
export function sampled<T>(cases: readonly T[], count: number): T[] {
  if (soakSeed !== undefined || process.env[SAMPLE_VARIABLE] !== 'true') return [...cases];
  const chosen = new Set(shuffled(cases, commit()).slice(0, count));
  return cases.filter((each) => chosen.has(each));
}

let checkedOut: string | undefined;
function commit(): string {
  return (checkedOut ??= commitName(resolve(import.meta.dirname, '../..')));
}
