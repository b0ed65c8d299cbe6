import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Before the tests, and before each further run of them while sources change: what they start is
 * made of the sources as they are.
 */
export function setup(project: TestProject): void {
  buildOutputs();
  project.onTestsRerun(buildOutputs);
}

function buildOutputs(): void {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'tools/built-outputs.mjs')], {
    cwd: ROOT,
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error('the program could not be built: see above');
}
