/**
 * Builds `web/` to `web/dist`, which the server reads, when it is missing or was built of other sources. As cheap as reading
 * these: it runs before every start. Plain JavaScript on whatever Node there is, like setup.mjs.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** What the output depends on. The whole lock file: what of it counts is longer to find out than to build anew. */
const SOURCES = [
  'package-lock.json',
  'tsconfig.base.json',
  'web',
  'contract/src',
  'client/src',
  'endpoint/src',
];
/** Below the root, beside the sources. */
const OUTPUT = 'web/dist';
/** In the output: the server serves no file whose name begins with a dot. */
const STAMP = '.stamp';
const BUILD = 'node_modules/vite/bin/vite.js';

/** Calls `fail` with what to tell when it cannot be built. */
export function buildFrontEnd(root, node, fail) {
  const digest = digestOf(root);
  if (stampOf(root) === digest) return;
  process.stderr.write('Building the front end, as its sources have changed ...\n');
  // Beside the old one, which a server that starts meanwhile still finds whole.
  const unfinished = join(root, 'web', `dist.${process.pid}`);
  const result = spawnSync(
    node,
    [join(root, BUILD), 'build', '--outDir', unfinished, '--emptyOutDir', '--logLevel', 'warn'],
    {
      cwd: join(root, 'web'),
      encoding: 'utf8',
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  if (result.status === 0) {
    putInPlace(root, unfinished, digest);
    return;
  }
  rmSync(unfinished, { recursive: true, force: true });
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`;
  fail(`${stripVTControlCharacters(output).trim()}

The front end could not be built: "vite build" in web/ failed, its own words are above.
Mend what they name, then run the command again.`);
}

function putInPlace(root, built, digest) {
  mkdirSync(built, { recursive: true });
  writeFileSync(join(built, STAMP), digest);
  const output = join(root, OUTPUT);
  rmSync(output, { recursive: true, force: true });
  try {
    renameSync(built, output);
  } catch (error) {
    // Another set-up was faster: of the same sources, or the next one builds again.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    rmSync(built, { recursive: true, force: true });
  }
}

function stampOf(root) {
  const stamp = join(root, OUTPUT, STAMP);
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
}

/** Of the names and the contents of all sources, but for tests, which are in no output. */
function digestOf(root) {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    for (const path of filesOf(root, source)) {
      const bytes = readFileSync(join(root, path));
      hash.update(`${path}\n${bytes.length}\n`).update(bytes);
    }
  }
  return hash.digest('hex');
}

/** In an order that does not depend on the file system; not what was installed, built, or is hidden. */
function filesOf(root, path) {
  const entries = entriesOf(join(root, path));
  if (entries === undefined) return existsSync(join(root, path)) ? [path] : [];
  return entries
    .filter(({ name }) => !/^(?:\.|node_modules$|dist(?:\.\d+)?$)|\.test\.tsx?$/.test(name))
    .map(({ name }) => name)
    .toSorted()
    .flatMap((name) => filesOf(root, `${path}/${name}`));
}

/** Undefined for what is no folder. */
function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}
