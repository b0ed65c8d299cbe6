import { mkdir, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { freePort } from '../cluster/free-port.ts';
import { useBrowser } from '../support/browser.ts';
import { requireChromium } from '../support/requires.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { tutorialBlocks } from './documented-blocks.ts';
import { Terminal } from './terminal.ts';
import { walkTutorial } from './tutorial-walk.ts';

const ROOT = join(import.meta.dirname, '../..');

const OF_THE_TESTS = /^(?:npm_|msk_|trellis_|vitest|node_(?:env|options|path)|test$|mode$)/i;

/** Somebody's shell: without what the npm and the runner of these tests tell their children. */
function ownShell(home: string, port: number, replicationPort: number) {
  const bin = `${join(ROOT, 'node_modules/.bin')}:`;
  const others = Object.entries(process.env).filter(([name]) => !OF_THE_TESTS.test(name));
  return {
    ...Object.fromEntries(others),
    PATH: (process.env['PATH'] ?? '').replaceAll(bin, ''),
    HOME: home,
    // The package of the data is fetched once, not for each run.
    NPM_CONFIG_USERCONFIG: join(homedir(), '.npmrc'),
    NPM_CONFIG_CACHE: join(homedir(), '.npm'),
    NPM_CONFIG_PREFER_OFFLINE: 'true',
    // Instead of 8080, which is not named where it is the default.
    MSK_PORT: String(port),
    MSK_REPLICATION_PORT: String(replicationPort),
  };
}

describe.skipIf(requireChromium())('the tutorial', () => {
  const browser = useBrowser();

  test('does what it says, block by block, up to the page', async () => {
    await using folder = await temporaryFolder();
    const ports = { primary: await freePort(), replica: await freePort() };
    const scripts = join(folder.path, 'scripts');
    const home = join(folder.path, 'home');
    for (const path of [scripts, home]) await mkdir(path);
    await symlink(ROOT, join(home, 'trellis'));
    const env = ownShell(home, ports.primary, await freePort());
    await using open = new AsyncDisposableStack();
    const terminals = new Map<string, Terminal>();
    const terminalOf = (name: string): Terminal => {
      const terminal = terminals.get(name) ?? open.use(new Terminal(scripts, home, env));
      terminals.set(name, terminal);
      return terminal;
    };
    await walkTutorial({ browser, ports, terminalOf });
  });
});

test('the tutorial shows what each server of it says, and most of what is asked', () => {
  const blocks = tutorialBlocks();
  expect(blocks.filter(({ keepsRunning }) => keepsRunning)).toHaveLength(2);
  expect(blocks.filter(({ prints }) => prints !== undefined).length).toBeGreaterThanOrEqual(6);
});
