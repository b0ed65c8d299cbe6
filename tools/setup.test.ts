import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const locked = {
  '': { name: 'trellis' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/other-platform': { version: '1.0.0', integrity: 'sha512-o', optional: true },
};
const installed = { 'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' } };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trellis-setup-'));
  mkdirSync(join(folder, 'tools'));
  cpSync(join(import.meta.dirname, 'setup.mjs'), join(folder, 'tools/setup.mjs'));
  write('package-lock.json', JSON.stringify({ packages: locked }));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function writeInstalled(packages: object): void {
  write('node_modules/.package-lock.json', JSON.stringify({ packages }));
}

/** Runs the set-up with a program in the place of npm, which notes how it was called. */
function setUp(npm = ''): { status: number | null; stderr: string; stdout: string; calls: string } {
  write('calls', '');
  const note = `require('fs').appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');`;
  write('npm.cjs', `${note}${npm}`);
  const { status, stderr, stdout } = spawnSync(process.execPath, ['tools/setup.mjs'], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, npm_execpath: join(folder, 'npm.cjs') },
  });
  return { status, stderr, stdout, calls: readFileSync(join(folder, 'calls'), 'utf8') };
}

it('is silent when everything is installed; optional packages of other platforms may be missing', () => {
  writeInstalled(installed);
  expect(setUp()).toEqual({ status: 0, stderr: '', stdout: '', calls: '' });
});

it.each([
  ['nothing is installed', undefined],
  ['a package is missing', {}],
  ['a package has another version', { 'node_modules/a': { version: '2.0.0' } }],
  ['a package is there that is no longer wanted', { ...installed, 'node_modules/b': {} }],
])('installs when %s, and says so on stderr only', (_, packages) => {
  if (packages !== undefined) writeInstalled(packages);
  const { status, stderr, stdout, calls } = setUp();
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  expect(stderr).toMatch(/^Installing dependencies .*\n$/);
  expect(calls).toMatch(/^ci /);
});

it('installs when an interrupted installation left a broken lock file', () => {
  write('node_modules/.package-lock.json', '{"packages":');
  expect(setUp().calls).toMatch(/^ci /);
});

it('shows what npm said when it fails, and what to do', () => {
  const { status, stderr } = setUp(`console.error('npm error network'); process.exitCode = 1;`);
  expect(status).toBe(1);
  expect(stderr).toMatch(/npm error network\n\nThe dependencies could not be installed/);
});
