import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { sampledTests } from './test-sample.ts';

/**
 * Runs the tests that scale (those that import test/support/scale.ts) at full size, and all of
 * those of which `npm test` runs a sample: `npm run soak -- --seed 7`. Without a seed it takes a
 * random one, and prints it: the same seed gives the same run.
 */
const ROOT = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: { seed: { type: 'string', default: String(randomInt(2 ** 31)) } },
});
if (!/^\d{1,10}$/.test(values.seed)) throw new Error(`--seed must be a number, not ${values.seed}`);

process.stdout.write(`Soak with seed ${values.seed}\n`);
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'related',
    'test/support/scale.ts',
    ...sampledTests(ROOT),
    '--run',
  ],
  {
    cwd: ROOT,
    env: { ...process.env, TRELLIS_SOAK: values.seed },
    stdio: 'inherit',
  },
);
if (status !== 0) process.stdout.write(`Again with: npm run soak -- --seed ${values.seed}\n`);
process.exitCode = status ?? 1;
