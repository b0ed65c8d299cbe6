import { isBuiltin, SourceMap } from 'node:module';
import { existsSync, readFileSync } from 'node:fs';
import { extname, resolve, sep } from 'node:path';
import type { OutputChunk, Plugin } from 'rolldown';
import { importedNames, isPackage, specifierOf } from '#runtime/compile/imported-modules.ts';
import {
  PACKAGE_CODE_BYTES_MAX,
  PACKAGE_SOURCES_BYTES_MAX,
  PACKAGE_TEXT_CHARACTERS_MAX,
  PACKAGE_TYPES_BYTES_MAX,
} from '@trellis/contract/limits.ts';
import {
  type PackageBundle,
  packageBundle,
  typesBytesOf,
} from '@trellis/contract/shapes/package.ts';
import { type LookedThrough, lookThrough } from './dynamic-code.ts';
import { licenseOf, PackageFault, PackageLock, packageNameIn } from './package-lock.ts';
import { type PackageTypes, typesOfPackages } from './package-types.ts';

/** A file with code that imports packages; its path has slashes. */
export interface ImportingFile {
  readonly path: string;
  readonly code: string;
}

export interface BundledPackage {
  /** As code imports it. */
  readonly specifier: string;
  readonly bundle: PackageBundle;
}

/**
 * Bundles the packages of npm that files import, each with what it imports itself, from the
 * `node_modules` of a folder. A package that is not in the lock file is left out if it is among
 * those that `isThere`. Throws a `PackageFault` that names the file and the line.
 */
export async function bundlePackages(
  folder: string,
  files: readonly ImportingFile[],
  isThere: (specifier: string) => boolean = () => false,
): Promise<BundledPackage[]> {
  const places = importsIn(files);
  const lock = places.size === 0 ? undefined : PackageLock.of(folder);
  const wanted = [...places].filter(([specifier, place]) => {
    if (lock?.has(packageNameIn(specifier)) === true) return true;
    if (isThere(specifier)) return false;
    throw notLocked(specifier, place, lock !== undefined);
  });
  if (lock === undefined || wanted.length === 0) return [];
  const root = resolve(folder);
  const specifiers = wanted.map(([specifier]) => specifier).toSorted();
  const types = typesOfPackages(root, lock, specifiers);
  const bundled: BundledPackage[] = [];
  for (const specifier of specifiers) {
    const found = types.get(specifier) ?? { typesEntry: null, types: {} };
    try {
      bundled.push({ specifier, bundle: await bundleOf(root, lock, specifier, found) });
    } catch (error) {
      if (!(error instanceof PackageFault)) throw error;
      const place = places.get(specifier);
      throw new PackageFault(`${place}: "${specifier}": ${error.message}`, error.hint);
    }
  }
  return bundled;
}

/** What files import of npm, with the file and line that does it first. */
function importsIn(files: readonly ImportingFile[]): Map<string, string> {
  const places = new Map<string, string>();
  for (const { path, code } of files) {
    for (const specifier of importedNames(code).filter(isPackage).map(specifierOf)) {
      const place = `${path}:${lineOf(code, specifier)}`;
      if (!places.has(specifier)) places.set(specifier, place);
    }
  }
  return places;
}

function notLocked(specifier: string, place: string, hasLock: boolean): PackageFault {
  if (isBuiltin(specifier)) {
    return new PackageFault(
      `${place}: "${specifier}" is a module of Node, which the code of endpoints does not have`,
    );
  }
  const name = packageNameIn(specifier);
  const why = hasLock ? 'package-lock.json does not have it' : 'there is no package-lock.json';
  return new PackageFault(
    `${place} imports "${specifier}", and ${why}`,
    `Run "npm install ${name}" in the folder, and commit package.json and package-lock.json.`,
  );
}

async function bundleOf(
  folder: string,
  lock: PackageLock,
  specifier: string,
  types: PackageTypes,
): Promise<PackageBundle> {
  const foreign = new ForeignModules();
  const chunk = await chunkOf(folder, specifier, foreign);
  const used = new Set(Object.keys(chunk.modules).filter((id) => isRendered(chunk, id)));
  foreign.refuse(used);
  refuseMissing(chunk);
  const packages = [...used]
    .filter((id) => !id.startsWith('\0'))
    .map((id) => lock.packageOf(id.replaceAll(sep, '/')));
  const own = packages.find(({ name }) => name === packageNameIn(specifier));
  if (own === undefined) throw new PackageFault('nothing is in it that could be bundled');
  const map = mapOf(chunk);
  const looked = lookThrough(chunk.code);
  refuseDynamicCode(looked, map);
  const code = withoutCommentSigns(looked.code);
  const licenses = new Set([own, ...packages].map(({ manifest }) => licenseOf(manifest)));
  const bundle = {
    package: own.name,
    version: own.version,
    license: [...licenses].join(' AND ').slice(0, PACKAGE_TEXT_CHARACTERS_MAX),
    isCommonJs: /^export default require_\w+\(\);$/m.test(code),
    code,
    map,
    ...types,
  };
  refuseLarge(bundle);
  return packageBundle.parse(bundle);
}

function isRendered({ modules }: OutputChunk, id: string): boolean {
  return (modules[id]?.renderedLength ?? 0) > 0;
}

function refuseLarge({ code, types }: Pick<PackageBundle, 'code' | 'types'>): void {
  const sizes = [
    ['code', Buffer.byteLength(code), PACKAGE_CODE_BYTES_MAX],
    ['types', typesBytesOf(types), PACKAGE_TYPES_BYTES_MAX],
  ] as const;
  for (const [what, bytes, max] of sizes) {
    if (bytes <= max) continue;
    throw new PackageFault(
      `its ${what} has ${bytes} bytes, and ${max} are allowed`,
      'Import a part of it, such as "date-fns/format", if it offers parts.',
    );
  }
}

async function chunkOf(
  folder: string,
  specifier: string,
  foreign: ForeignModules,
): Promise<OutputChunk> {
  const { rolldown } = await import('rolldown');
  const bundler = await rolldown({
    input: { package: specifier },
    cwd: folder,
    // Of a package that has several faces, the one without Node.
    platform: 'browser',
    tsconfig: false,
    resolve: { symlinks: false },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [foreign.plugin()],
    onLog: () => {},
  });
  try {
    const { output } = await bundler.generate({
      format: 'esm',
      codeSplitting: false,
      sourcemap: 'hidden',
      // Licenses ask for their notices to be kept.
      comments: { legal: true, annotation: false, jsdoc: false },
    });
    return output[0];
  } catch (cause) {
    throw new PackageFault(`it cannot be bundled: ${bundlerFault(cause)}`);
  } finally {
    await bundler.close();
  }
}

/** What the bundler says first, in one line, with the place. */
function bundlerFault(cause: unknown): string {
  const { errors } = Object(cause) as { readonly errors?: readonly BundlerError[] };
  const { message, loc } = errors?.[0] ?? { message: String(cause), loc: undefined };
  const [first = ''] = message
    // oxlint-disable-next-line no-control-regex -- colors of a terminal begin with one
    .replaceAll(/\u001b\[[\d;]*m/g, '')
    .replace(/^\[\w+\] /, '')
    .split('\n');
  return loc?.file === undefined ? first : `${placeOf(loc.file, loc.line)}: ${first}`;
}

interface BundlerError {
  readonly message: string;
  readonly loc?: { readonly file?: string; readonly line: number } | undefined;
}

/** From `node_modules` on: the same on every machine. */
function placeOf(file: string, line: number): string {
  const at = file.indexOf('node_modules/');
  return `${file.slice(Math.max(0, at))}:${line}`;
}

/** What it imports and the bundler has not found, which it leaves as it is. */
function refuseMissing({ imports, modules }: OutputChunk): void {
  const [missing] = imports;
  if (missing === undefined) return;
  for (const file of Object.keys(modules).filter((id) => existsSync(id))) {
    const code = readFileSync(file, 'utf8');
    if (importedNames(code).every((one) => specifierOf(one) !== missing)) continue;
    throw new PackageFault(`${placeOf(file, lineOf(code, missing))} ${notInstalled(missing)}`);
  }
  throw new PackageFault(notInstalled(missing));
}

const notInstalled = (name: string): string => `imports "${name}", which is not installed`;

/**
 * Paths of sources from `node_modules` on: they are the same on every machine. The sources travel
 * along where there is room for them.
 */
function mapOf({ map }: OutputChunk): string {
  const sources = (map?.sources ?? []).map((source) => {
    const at = source.indexOf('node_modules/');
    return at < 0 ? source : source.slice(at);
  });
  const mappings = map?.mappings ?? '';
  const own = { version: 3, sources, names: [], mappings };
  const whole = JSON.stringify({ ...own, sourcesContent: map?.sourcesContent });
  const isSmall = Buffer.byteLength(whole) <= PACKAGE_SOURCES_BYTES_MAX;
  return isSmall ? whole : JSON.stringify(own);
}

/**
 * To a script these begin a comment, though to a module they do not. In texts and in regular
 * expressions they can be written in another way; elsewhere the bundler puts blanks in.
 */
function withoutCommentSigns(code: string): string {
  return code.replaceAll('<!--', String.raw`<\x21--`).replaceAll('-->', String.raw`--\x3e`);
}

function refuseDynamicCode({ code, dynamic }: LookedThrough, mapText: string): void {
  const [first] = dynamic;
  if (first === undefined) return;
  const map = new SourceMap(JSON.parse(mapText) as ConstructorParameters<typeof SourceMap>[0]);
  const before = code.slice(0, first.offset).split('\n');
  const origin = map.findOrigin(before.length, (before.at(-1) ?? '').length + 1);
  const place = 'fileName' in origin ? `${origin.fileName}:${origin.lineNumber}` : 'its code';
  throw new PackageFault(`${place} has ${first.what}`);
}

const FOREIGN_FILES = new Map([
  ['.node', 'native code'],
  ['.wasm', 'WebAssembly'],
]);

/** What a bundle may not have in it, as it is not of JavaScript alone. */
class ForeignModules {
  /** By the id that the bundler has for each. */
  readonly #found = new Map<string, { readonly source: string; readonly importer: string }>();

  plugin(): Plugin {
    const found = this.#found;
    return {
      name: 'trellis-foreign-modules',
      async resolveId(source, importer) {
        if (importer === undefined || source.startsWith('\0')) return null;
        const isOfNode = isBuiltin(source);
        if (isOfNode && !source.startsWith('node:')) {
          // Some packages of npm are called like modules of Node.
          const other = await this.resolve(source, importer, { skipSelf: true });
          if (other !== null && other.external === false) return other;
        } else if (!isOfNode && !FOREIGN_FILES.has(extname(source))) return null;
        const id = `\0foreign:${source}`;
        if (!found.has(id)) found.set(id, { source, importer });
        return { id, moduleSideEffects: false };
      },
      // Whatever is imported from it is there, and unused imports leave no trace.
      load: (id) => (id.startsWith('\0foreign:') ? 'module.exports = {};' : null),
    };
  }

  refuse(used: ReadonlySet<string>): void {
    for (const [id, { source, importer }] of this.#found) {
      if (!used.has(id)) continue;
      const what = FOREIGN_FILES.get(extname(source)) ?? 'a module of Node';
      const line = existsSync(importer) ? lineOf(readFileSync(importer, 'utf8'), source) : 1;
      throw new PackageFault(
        `${placeOf(importer, line)} imports "${source}", ${what}`,
        'Endpoints run JavaScript alone: look for a package, or a path in it, that needs no more.',
      );
    }
  }
}

/** The line on which a text stands in quotes first. */
function lineOf(code: string, quoted: string): number {
  const at = ["'", '"', '`'].map((quote) => code.indexOf(quote + quoted + quote));
  const first = Math.min(...at.filter((one) => one >= 0), code.length);
  return code.slice(0, first).split('\n').length;
}
