import { expect, test } from 'vitest';
import { scale, seed } from '../support/scale.ts';
import { runFaults } from './fault-run.ts';

const RUNS = scale({ sample: 2, soak: 200 });
const TIMEOUT_MS = 600_000;

test.each(Array.from({ length: RUNS }, (_, run) => seed() + run))(
  'primary and replica agree after random faults, seed %i',
  async (runSeed) => {
    expect((await runFaults(runSeed)).length).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
