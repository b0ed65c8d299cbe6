/**
 * Installs what package-lock.json asks for, and builds the front end and the program, each when it
 * is missing or stale; says nothing when all is there. It runs before every npm script, in a fresh
 * clone on whatever Node the machine has: so plain JavaScript, built-in modules only, and cheap. It
 * writes to stderr only, because stdout belongs to the command that follows.
 *
 * - `setup.mjs runtime`, before `npm start`: installs only what the server and its build need, and
 *   keeps of it what the server needs once it is built.
 * - `setup.mjs`, before `npm run bench`: adds the development dependencies to what is there.
 * - `setup.mjs packages`, before `npm run lint`: the same, but builds nothing, so that code with
 *   faults can be checked. `npm test` builds what its tests need.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { areOutputsCurrent, buildOutputs } from './built-outputs.mjs';
import {
  hasDevelopmentPackages,
  installationState,
  removePackages,
  surplusPackages,
} from './installed-packages.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PINNED_NODE = `${ROOT}node_modules/.bin/node`;
const NODE_MAJOR_MIN = 24;
/**
 * Exists while packages are added or removed; a set-up that finds it was interrupted, and npm
 * cannot tell which packages are whole.
 */
const ADDING = `${ROOT}node_modules/.adding`;
const MODE = process.argv[2];
const RUNTIME_ONLY = MODE === 'runtime';

await installMissing();
checkNode();
if (MODE !== 'packages') {
  buildOutputs(ROOT, existsSync(PINNED_NODE) ? PINNED_NODE : process.execPath, fail);
}
if (RUNTIME_ONLY && !hasDevelopmentPackages(ROOT)) removeSurplus();

async function installMissing() {
  const state = existsSync(ADDING) ? 'stale' : installationState(ROOT);
  if (state === 'complete' || (RUNTIME_ONLY && suffices(state))) return;
  if (state !== 'stale') {
    await addMissing();
    // It takes a package.json that differs from the lock file as it is; "npm ci" says what is
    // wrong.
    const added = installationState(ROOT);
    if (added === 'complete' || (RUNTIME_ONLY && added === 'runtime')) return;
  }
  process.stderr.write('Installing dependencies (npm ci), once; it takes some seconds ...\n');
  // Who has the rest keeps it, whatever the command needs.
  await runNpm(
    'ci',
    RUNTIME_ONLY && !hasDevelopmentPackages(ROOT) ? '--omit=dev' : '--include=dev',
  );
  rmSync(ADDING, { force: true });
}

/** Whether the server can be started, after a build if one is due. */
function suffices(state) {
  return state === 'runtime' || (state === 'trimmed' && areOutputsCurrent(ROOT));
}

/** Nothing that is there is fetched or replaced: a server that runs from this folder goes on. */
async function addMissing() {
  const what = RUNTIME_ONLY ? 'the build needs' : 'development needs';
  process.stderr.write(`Installing what ${what} (npm install), once; it takes some seconds ...\n`);
  mark();
  await runNpm('install', '--no-save', RUNTIME_ONLY ? '--omit=dev' : '--include=dev');
  rmSync(ADDING, { force: true });
}

/** What is built needs few packages to run. */
function removeSurplus() {
  const surplus = surplusPackages(ROOT);
  if (surplus.length === 0) return;
  mark();
  removePackages(ROOT, surplus);
  rmSync(ADDING, { force: true });
}

function mark() {
  writeFileSync(ADDING, '');
}

async function runNpm(command, ...options) {
  const { spawnSync } = await import('node:child_process');
  const npm = process.env.npm_execpath;
  const args = [
    command,
    ...options,
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--fetch-retries=1',
    '--loglevel=error',
  ];
  const result = npm
    ? spawnSync(process.execPath, [npm, ...args], { cwd: ROOT, encoding: 'utf8' })
    : spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' });
  if (result.status === 0) return;
  // npm has taken back what it had begun, unless it was killed.
  if (result.signal === null) rmSync(ADDING, { force: true });
  const output =
    `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`.trim();
  fail(`${output}

The dependencies could not be installed: "npm ${command}" failed, its own words are above.
Without a network they must be in npm's cache; behind a proxy or a mirror, set npm's "proxy" or "registry".
Then run the command again.`);
}

/** The pinned Node comes as an optional package, and npm is silent when it cannot have one. */
function checkNode() {
  if (Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN) return;
  if (existsSync(PINNED_NODE)) return;
  fail(`Trellis runs on Node ${NODE_MAJOR_MIN}, this is ${process.version} on ${process.platform} ${process.arch}.
On Linux (x64, arm64; glibc) the right one is installed with the dependencies, but it is not there:
run "npm ci" again and see what it says. Elsewhere install Node ${NODE_MAJOR_MIN} and put it first on PATH.`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
