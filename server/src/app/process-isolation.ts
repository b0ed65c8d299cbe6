import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { variables } from '#config/variables.ts';

/**
 * A worker under Node's permission model may read everything below the working directory of the process, and
 * `process.report` in any thread shows the environment. So before the first worker starts, the working directory
 * becomes an empty folder for good, and the secrets leave the environment (decision 0004).
 */
export function isolateProcess(secretNames: readonly string[]): void {
  for (const name of secretNames) delete process.env[name];
  const folder = mkdtempSync(join(tmpdir(), 'trellis-'));
  process.chdir(folder);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}

/** What must not be readable once user code may run in the process. */
export const SECRET_VARIABLES: readonly string[] = Object.entries(variables)
  .filter(([, variable]) => 'secret' in variable)
  .map(([name]) => name);
