/**
 * Installs what package-lock.json asks for, and builds the front end and the program, each when it is missing or stale; says
 * nothing when all is there. It runs before every `npm start` and `npm test`, in a fresh clone on whatever Node the machine has: so plain
 * JavaScript, built-in modules only, and cheap. It writes to stderr only, because stdout belongs to the command that follows.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildOutputs } from './built-outputs.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PINNED_NODE = `${ROOT}node_modules/.bin/node`;
const NODE_MAJOR_MIN = 24;

if (!isInstalled()) await install();
checkNode();
buildOutputs(ROOT, existsSync(PINNED_NODE) ? PINNED_NODE : process.execPath, fail);

/** npm keeps what it really installed in a lock file of its own, written last: the two must agree. */
function isInstalled() {
  const wanted = packagesOf(`${ROOT}package-lock.json`);
  const present = packagesOf(`${ROOT}node_modules/.package-lock.json`);
  if (wanted === undefined || present === undefined) return false;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '') continue;
    const found = present[path];
    if (found === undefined ? !entry.optional : !isSame(entry, found)) return false;
  }
  return Object.keys(present).every((path) => path in wanted);
}

function isSame(wanted, found) {
  return wanted.version === found.version && wanted.integrity === found.integrity;
}

function packagesOf(lockFile) {
  if (!existsSync(lockFile)) return undefined;
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

async function install() {
  const { spawnSync } = await import('node:child_process');
  process.stderr.write('Installing dependencies (npm ci), once; it takes some seconds ...\n');
  const npm = process.env.npm_execpath;
  const args = [
    'ci',
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
  const output =
    `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`.trim();
  fail(`${output}

The dependencies could not be installed: "npm ci" failed, its own words are above.
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
