/**
 * Builds what the repository builds of itself, each when it is missing or was built of other
 * sources: the front end, the program in few files, and the documentation. As cheap as reading the
 * sources: it runs before every start. Plain JavaScript on whatever Node there is, like setup.mjs.
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
import { join, resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Below the root all of them. `sources`: what the output depends on. */
const OUTPUTS = [
  {
    name: 'front end',
    // The whole lock file: to find out what of it matters takes longer than another build.
    sources: [
      'package-lock.json',
      'tsconfig.base.json',
      'web',
      'contract/src',
      'client/src',
      'endpoint/src',
    ],
    folder: 'web',
    script: 'node_modules/vite/bin/vite.js',
    args: (outDir) => ['build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn'],
    failed: '"vite build" in web/ failed',
  },
  {
    name: 'program',
    sources: [
      'package-lock.json',
      'tools/bundle-program.ts',
      'tools/program-bundle',
      'samples',
      'contract',
      'endpoint',
      'client',
      'connector/src',
      'server',
      'cli',
    ],
    folder: 'server',
    script: 'tools/bundle-program.ts',
    args: (outDir) => ['--outDir', outDir],
    failed: 'tools/bundle-program.ts failed',
  },
  {
    name: 'documentation',
    sources: [
      'package-lock.json',
      'tools/docs.ts',
      'tools/docs-site',
      'docs',
      'README.md',
      'ARCHITECTURE.md',
      'SECURITY.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'CODE_OF_CONDUCT.md',
      'changes',
      'web/public/icon.svg',
      'web/src/documents',
      'web/src/styles/tokens.css',
      // The reference is made of them.
      'contract/src',
      'endpoint/src',
      'cli/src',
      'server/src/config',
    ],
    folder: 'docs',
    script: 'tools/docs.ts',
    args: (outDir) => ['--out', outDir],
    failed: 'tools/docs.ts failed',
  },
];
/** In the folder of an output; nothing that begins with a dot is served or packed. */
const STAMP = '.stamp';

/** As a program of its own: for those who run tests without the set-up. */
if (import.meta.main) {
  buildOutputs(resolve(import.meta.dirname, '..'), process.execPath, (text) => {
    process.stderr.write(`${text}\n`);
    process.exit(1);
  });
}

/** Calls `fail` with what to tell when one cannot be built. */
export function buildOutputs(root, node, fail) {
  for (const output of OUTPUTS) buildOutput(root, node, fail, output);
}

/** Whether all are there, and built of the sources as they are. */
export function areOutputsCurrent(root) {
  return OUTPUTS.every(
    ({ folder, sources }) => stampOf(join(root, folder, 'dist')) === digestOf(root, sources),
  );
}

function buildOutput(root, node, fail, { name, sources, folder, script, args, failed }) {
  const built = join(root, folder, 'dist');
  const digest = digestOf(root, sources);
  if (stampOf(built) === digest) return;
  process.stderr.write(`Building the ${name}, as its sources have changed ...\n`);
  // Beside the old one, which a server that starts meanwhile still finds whole.
  const unfinished = join(root, folder, `dist.${process.pid}`);
  const result = spawnSync(node, [join(root, script), ...args(unfinished)], {
    cwd: join(root, folder),
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (result.status === 0) {
    putInPlace(unfinished, built, digest);
    return;
  }
  rmSync(unfinished, { recursive: true, force: true });
  const said = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`;
  fail(`${stripVTControlCharacters(said).trim()}

The ${name} could not be built: ${failed}, its own words are above.
Mend what they name, then run the command again.`);
}

function putInPlace(unfinished, built, digest) {
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, STAMP), digest);
  rmSync(built, { recursive: true, force: true });
  try {
    renameSync(unfinished, built);
  } catch (error) {
    // Another set-up was faster: of the same sources, or the next one builds again.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function stampOf(built) {
  const stamp = join(built, STAMP);
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
}

/** Hashes the names and contents of all sources but tests, which are in no output. */
function digestOf(root, sources) {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const path of filesOf(root, source)) {
      const bytes = readFileSync(join(root, path));
      hash.update(`${path}\n${bytes.length}\n`).update(bytes);
    }
  }
  return hash.digest('hex');
}

/**
 * In an order that does not depend on the file system; not what was installed, built, or is hidden.
 */
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
