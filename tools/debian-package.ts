import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * Has Debian install a package that some tests need, unless `file`, which comes with it, is there or this process may not. It
 * says so, because it changes the machine and not only the clone; what goes wrong is left to the tests, which say what they
 * lack.
 */
export function installDebianPackage(name: string, file: string, purpose: string): void {
  if (existsSync(file) || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  process.stdout.write(`Installing ${name} for ${purpose} (apt-get), once ...\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['install', '-y', '-q', '--no-install-recommends', name];
  if (spawnSync('apt-get', install, { env, stdio: 'ignore' }).status === 0) return;
  // A machine that never asked does not know where the packages are.
  spawnSync('apt-get', ['update', '-q'], { env, stdio: 'ignore' });
  spawnSync('apt-get', install, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}
