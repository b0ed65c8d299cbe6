import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Where Debian and most others install it. */
export const CHROMIUM = '/usr/bin/chromium';

/**
 * Has Debian install the browser that the browser tests drive, where it is missing and this process may. It says so, because it
 * changes the machine and not only the clone; what goes wrong is left to the tests, which say that they need the browser.
 */
export function installBrowser(): void {
  if (existsSync(CHROMIUM) || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return;
  process.stdout.write('Installing Chromium for the browser tests (apt-get), once ...\n');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['install', '-y', '-q', '--no-install-recommends', 'chromium'];
  if (spawnSync('apt-get', install, { env, stdio: 'ignore' }).status === 0) return;
  // A machine that never asked does not know where the packages are.
  spawnSync('apt-get', ['update', '-q'], { env, stdio: 'ignore' });
  spawnSync('apt-get', install, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}
