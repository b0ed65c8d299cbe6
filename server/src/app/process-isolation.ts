import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A worker under Node's permission model may read everything below the working directory of the
 * process, and `process.report` in any thread shows the environment. So before the first worker
 * starts, the working directory becomes an empty folder for good, and the settings, secrets among
 * them, leave the environment (decision 0004).
 */
export function isolateProcess(): void {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('MSK_') || name.startsWith('OTEL_')) delete process.env[name];
  }
  const folder = mkdtempSync(join(tmpdir(), 'trellis-'));
  process.chdir(folder);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
