/**
 * How much a randomized test does. `npm test` runs a sample, always the same one; `npm run soak -- --seed N` runs the tests
 * that import this file at full size, each from the seed N, which it prints: the same seed gives the same run.
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
