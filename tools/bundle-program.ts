/**
 * Puts the program, unbuilt some 900 modules and as many of packages, into few files (decision
 * 0019): a start of it, and of each of its threads, is mostly the time that Node takes to find and
 * load modules. `node tools/bundle-program.ts --outDir FOLDER`; `tools/setup.mjs` calls it when
 * sources have changed. The folder has to lie in `server/`: see `PlacesPlugin`.
 */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { httpPlugin } from './program-bundle/http-plugin.ts';
import { licenseTexts } from './program-bundle/license-texts.ts';
import { placesPlugin } from './program-bundle/places-plugin.ts';
import { readTextsPlugin } from './program-bundle/read-texts-plugin.ts';
import RUN_PACKAGES from './run-packages.json' with { type: 'json' };

const ROOT = resolve(import.meta.dirname, '..');
/**
 * Has files of its own that it finds by where it lies: addons, the compiler, definitions of the
 * protocol, fonts of PDFs.
 */
const NOT_BUNDLED = /^(?:lmdb|@node-rs\/.*|typescript|@grpc\/.*|unpdf|rolldown)(?:\/|$)/;

const { values } = parseArgs({ options: { outDir: { type: 'string' } } });
if (values.outDir === undefined) throw new Error('say where to: --outDir FOLDER');
const folder = resolve(values.outDir);

const bundle = await rolldown({
  input: { trellis: join(ROOT, 'cli/src/main.ts') },
  cwd: ROOT,
  platform: 'node',
  tsconfig: false,
  external: NOT_BUNDLED,
  plugins: [readTextsPlugin(ROOT), placesPlugin(ROOT, folder), httpPlugin()],
  onLog(level, log) {
    // Packages of others are as they are; what is wrong here fails the build.
    if (level === 'warn' && log.id?.includes('/node_modules/') !== true) {
      throw new Error(`${log.code ?? ''} ${log.message}`);
    }
  },
});
const { output } = await bundle.write({
  dir: folder,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  // A server that runs while the files are built finds chunks, and exports in them, by their names.
  minifyInternalExports: false,
  keepNames: true,
  sourcemap: true,
  sourcemapExcludeSources: true,
});
const imports = output.flatMap((file) => (file.type === 'chunk' ? file.imports : []));
const unexpected = imports.filter((name) => NOT_BUNDLED.test(name) && !isRunPackage(name));
if (unexpected.length > 0) throw new Error(`not in run-packages.json: ${unexpected.join(', ')}`);
const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
writeFileSync(join(folder, 'licenses.txt'), licenseTexts(modules));

function isRunPackage(module: string): boolean {
  return RUN_PACKAGES.some((name) => module === name || module.startsWith(`${name}/`));
}
