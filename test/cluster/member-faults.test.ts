import { describe, expect, test } from 'vitest';
import { requirePostgres } from '../support/requires.ts';
import { scale, seed } from '../support/scale.ts';
import { runMemberFaults } from './member-faults.ts';

const RUNS = scale({ sample: 1, soak: 300 });

describe.skipIf(requirePostgres())('members', () => {
  test.each(Array.from({ length: RUNS }, (_, run) => seed() + run))(
    'lose and repeat nothing under random faults, seed %i',
    async (runSeed) => {
      expect((await runMemberFaults(runSeed)).length).toBeGreaterThan(0);
    },
  );
});
