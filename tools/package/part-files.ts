import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { embedTypes } from './embedded-types.ts';
import { nameJavaScript, toJavaScript } from './javascript.ts';
import { partManifest, readManifest, type Part } from './manifests.ts';

/**
 * Read as text by the program: the types that endpoints are checked against, and what runs beside
 * them.
 */
const READ_AS_TEXT = ['endpoint/src/', 'server/src/runtime/guest/'];
/**
 * Files that the program reads or copies, and built-in endpoints, which it compiles itself.
 */
const BESIDE_CODE = [
  'src/**/!(tsconfig).{json,proto,sh}',
  'system-endpoints/**/*.ts',
  'templates/**',
];
const IS_TEST = /(?:^|\/)testing\/|\.test\.ts$/;
/** Packages that others write programs with. */
export const TYPED: readonly Part[] = ['contract', 'endpoint', 'client', 'connector'];

/** Writes a package of the repository, in JavaScript, to a folder. */
export function writePart(root: string, part: Part, folder: string, version: string): void {
  const manifest = partManifest(part, readManifest(join(root, part)), version);
  writeText(join(folder, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  for (const path of globSync('src/**/*.ts', { cwd: join(root, part) })) {
    if (!IS_TEST.test(path)) writeModule(root, part, path, folder);
  }
  for (const path of globSync(BESIDE_CODE, { cwd: join(root, part) })) {
    if (statSync(join(root, part, path)).isDirectory()) continue;
    copy(join(root, part, path), join(folder, path));
  }
  if (TYPED.includes(part)) copyDeclarations(root, part, folder);
  if (part === 'client') embedTypes(root, folder);
}

/** Sample graphs: their code as JavaScript, their endpoints as they are. */
export function writeSamples(root: string, folder: string, version: string): void {
  writeText(join(folder, 'package.json'), besidesText('samples', version));
  for (const path of globSync('*/*.ts', { cwd: join(root, 'samples') })) {
    if (!IS_TEST.test(path)) writeModule(root, 'samples', path, folder);
  }
  for (const path of globSync('*/endpoints/*.ts', { cwd: join(root, 'samples') })) {
    copy(join(root, 'samples', path), join(folder, path));
  }
}

/** The workspace in the browser, or the documentation, which have been built. */
export function writeBuilt(root: string, name: string, scope: string, version: string): void {
  const folder = join(scope, name);
  writeText(join(folder, 'package.json'), besidesText(name, version));
  cpSync(join(root, name, 'dist'), join(folder, 'dist'), { recursive: true });
}

/**
 * The program in few files, which has been built: it runs beside the modules that it was made of,
 * and reads what lies there.
 */
export function writeBundle(root: string, folder: string): void {
  cpSync(join(root, 'server/dist'), join(folder, 'dist'), { recursive: true });
}

/** What npm needs of a folder to pack it. */
function besidesText(name: string, version: string): string {
  return JSON.stringify({ name: `@trellis/${name}`, version, type: 'module' });
}

/** Makes the declarations of the typed packages, which the compiler keeps beside its cache. */
export function compileDeclarations(root: string): void {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-b', ...TYPED], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The declarations could not be made:\n${stdout}`);
}

function copyDeclarations(root: string, part: Part, folder: string): void {
  const declarations = join(root, 'node_modules/.cache/declarations', part);
  for (const path of globSync('src/**/*.d.ts', { cwd: declarations })) {
    writeText(join(folder, path), nameJavaScript(readFileSync(join(declarations, path), 'utf8')));
  }
}

function writeModule(root: string, part: string, path: string, folder: string): void {
  const source = readFileSync(join(root, part, path), 'utf8');
  const { code, map } = toJavaScript(path, source);
  const output = join(folder, path.replace(/\.ts$/, '.js'));
  writeText(output, code);
  writeText(`${output}.map`, map);
  if (READ_AS_TEXT.some((kept) => `${part}/${path}`.startsWith(kept))) {
    writeText(join(folder, path), source);
  }
}

function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to);
}
