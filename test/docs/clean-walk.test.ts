import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { freePort } from '../cluster/free-port.ts';
import { useBrowser } from '../support/browser.ts';
import { CleanRoot, essentialPackages } from '../support/clean-root.ts';
import { requireChromium, requireNodePackage, requireRoot } from '../support/requires.ts';
import { temporaryFolder } from '../support/trellis-process.ts';
import { Terminal } from './terminal.ts';
import { walkTutorial } from './tutorial-walk.ts';

/**
 * README and tutorial as somebody follows them on a machine that was just installed: a clone, the
 * Node and npm of a package of Debian, and the tools that each Debian has. Nothing of the clone of
 * these tests is there: its packages are installed, and its program is built.
 */

const ROOT = join(import.meta.dirname, '../..');
/** The quarter of an hour that the tutorial names, and what comes before it. */
const WALK_MS = 15 * 60_000;
const HOME = '/home/ada';
const SCRIPTS = '/srv/blocks';
const WORD = 'trellis';

const execute = promisify(execFile);

/** Devices, how this machine reaches the registry, and what it has from there already. */
const OF_THE_MACHINE = [
  '/dev',
  '/etc/hosts',
  '/etc/npmrc',
  '/etc/passwd',
  '/etc/resolv.conf',
  '/etc/ssl',
  '/usr/etc/npmrc',
  // It may have been renewed since the package of Debian brought it.
  '/usr/lib/node_modules/npm',
  '/usr/local/etc/npmrc',
  join(homedir(), '.npm'),
  join(homedir(), '.npmrc'),
].filter((path) => existsSync(path));

const NETWORK = /^(?:lang|no_proxy|https?_proxy|\w*_ca_\w*)$/i;

function environment(port: number, replicationPort: number) {
  const kept = Object.entries(process.env).filter(([name]) => NETWORK.test(name));
  return {
    ...Object.fromEntries(kept),
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
    HOME,
    NPM_CONFIG_USERCONFIG: join(homedir(), '.npmrc'),
    NPM_CONFIG_CACHE: join(homedir(), '.npm'),
    NPM_CONFIG_PREFER_OFFLINE: 'true',
    // Instead of 8080, which is not named where it is the default.
    MSK_PORT: String(port),
    MSK_REPLICATION_PORT: String(replicationPort),
  };
}

/** What is in version control, as it is now. */
async function clone(root: CleanRoot): Promise<void> {
  await mkdir(join(root.path, HOME, 'trellis'), { recursive: true });
  const copy = 'git ls-files -z | tar --null -T - -cf - | tar -C "$0" -xf -';
  const cwd = { cwd: ROOT, maxBuffer: 2 ** 26 };
  await execute('sh', ['-c', copy, join(root.path, HOME, 'trellis')], cwd);
}

/** The blocks of a language in the README. */
function readmeBlocks(language: string): string[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const blocks = readme.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'));
  return [...blocks].map(([, text = '']) => text);
}

describe.skipIf(requireRoot() || requireChromium() || requireNodePackage())(
  'on a machine that was just installed',
  () => {
    const browser = useBrowser();

    test('README and tutorial lead to a page over own data', { timeout: WALK_MS }, async () => {
      await using folder = await temporaryFolder();
      const root = await CleanRoot.make(join(folder.path, 'root'), [
        ...(await essentialPackages()),
        'nodejs',
      ]);
      await clone(root);
      await root.share(OF_THE_MACHINE);
      await mkdir(join(root.path, SCRIPTS), { recursive: true });
      const ports = { primary: await freePort(), replica: await freePort() };
      const env = environment(ports.primary, await freePort());
      const terminal = (cwd: string, more: object = {}) =>
        new Terminal(SCRIPTS, cwd, { ...env, ...more }, root);

      await followReadme(root, (more) => terminal(`${HOME}/trellis`, more), ports.primary);

      await using open = new AsyncDisposableStack();
      const terminals = new Map<string, Terminal>();
      const terminalOf = (name: string): Terminal => {
        const known = terminals.get(name) ?? open.use(terminal(HOME));
        terminals.set(name, known);
        return known;
      };
      await walkTutorial({ browser, ports, terminalOf });
    });
  },
);

/** Starts the server of the README, and calls its endpoint. */
async function followReadme(
  root: CleanRoot,
  open: (more?: object) => Terminal,
  port: number,
): Promise<void> {
  const [start = '', call = ''] = readmeBlocks('sh');
  const [first = ''] = start.split('\n');
  expect(first).toMatch(/^npm start\b/);
  await using server = open();
  const said = await server.start(`${first}\n`);
  const password = /with the password (\S+) \(shown this once\)/.exec(said)?.[1] ?? said;
  const [code = ''] = readmeBlocks('ts');
  await writeFile(join(root.path, HOME, 'trellis/senses.ts'), code);
  await using terminal = open({ TRELLIS_SERVER: `http://127.0.0.1:${port}` });
  const { code: failed, output } = await terminal.answer(call, password);
  expect(failed, output).toBe(0);
  expect(output).toContain('"Type": "Synset"');
  expect(output).toContain(WORD);
}
