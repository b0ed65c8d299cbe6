import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { isPackage, specifierOf } from './imported-modules.ts';
import { typeFilesOf } from './package-text.ts';

export type ScopeName = 'full' | 'read-only';

export interface ScopedSource {
  readonly source: string;
  readonly scope: ScopeName;
  /** The ambient declarations of that scope. */
  readonly scopeTypes: string;
  /** The interface `Endpoints` of those that the source may run; empty for none. */
  readonly endpoints?: string;
  /** What the source imports, directly and by others of them: code by name, such as `prices`. */
  readonly modules?: ReadonlyMap<string, string>;
}

const SCOPES: readonly ScopeName[] = ['full', 'read-only'];

/** The language of endpoint code, and of the packages that it imports. */
export const LANGUAGE_OPTIONS = {
  target: 'es2024',
  module: 'esnext',
  lib: ['es2024'],
  types: [],
  strict: true,
  noEmit: true,
  skipLibCheck: true,
};
const COMPILER_OPTIONS = {
  ...LANGUAGE_OPTIONS,
  moduleDetection: 'force',
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  // Types are stripped from each file by itself.
  verbatimModuleSyntax: true,
  // Code is a module, and `z` is a global.
  allowUmdGlobalAccess: true,
};

/** Its types are loaded with the first code that may use them, and for an editor. */
const NAMES_ZOD = /\bz\b/;

/**
 * That the default export is an endpoint cannot be said in its own file; nor what JSON it takes and
 * gives, as far as its types say it.
 */
const ENTRY = `import endpoint from './endpoint.ts';
endpoint satisfies Endpoint;
type AnswerOf<T> = T extends Reply<infer Answer> ? Answer : T;
type Input = Parameters<typeof endpoint> extends [
  scope?: infer S extends { readonly body: unknown },
  ...others: unknown[],
]
  ? S['body']
  : unknown;
type Output = AnswerOf<Awaited<ReturnType<typeof endpoint>>>;
`;

/**
 * Looking backwards from a closing bracket, the compiler takes the last opening one of the whole
 * text, if no closing one follows there: one after the place to complete leads it round in a
 * circle, for ever. In a comment these close nothing.
 */
const DRAFT_END = '\n//)]}';

/** A source in the files of the compiler. */
interface PutSource {
  /** Configuration of the project that the source is in. */
  readonly config: string;
  readonly file: string;
  readonly changes: FileChanges;
}

/** The files that are not as they were. */
export interface FileChanges {
  readonly changed: string[];
  /** Files of packages: where they come and go, the compiler looks for what it had not found. */
  readonly created: string[];
  readonly deleted: string[];
}

/**
 * The virtual files of the compiler: for each scope a project to check an endpoint in, and one for
 * an editor, which completes names. Both have the same text of the scope, and the same options.
 */
export class ProjectFiles {
  readonly #files = new Map<string, string>();
  readonly #zod = new ZodTypes();
  readonly #packages = new PackageFiles();

  constructor() {
    for (const scope of SCOPES) {
      const shared = [scopeFile(scope), endpointsFile(scope), ZOD_ENTRY];
      const checked = [...shared, sourceFile(scope), entryFile(scope)];
      this.#addProject(configFile(scope), checked, './lib/*');
      this.#addProject(draftConfigFile(scope), [...shared, draftFile(scope)], '../lib/*');
      this.#files.set(entryFile(scope), ENTRY);
    }
    this.#files.set(ZOD_ENTRY, 'export {};\n');
  }

  put(
    { source, scope, scopeTypes, endpoints = '', modules = NO_MODULES }: ScopedSource,
    isDraft: boolean,
  ): PutSource {
    const file = isDraft ? draftFile(scope) : sourceFile(scope);
    const text = isDraft ? source + DRAFT_END : source;
    const changed = [
      ...this.#write(file, text),
      ...this.#write(scopeFile(scope), scopeTypes),
      ...this.#write(endpointsFile(scope), endpoints),
      ...this.#putModules(scope, modules),
    ];
    const own = [...modules].flatMap(([name, one]) => (isPackage(name) ? [] : [one]));
    const texts = [source, ...own];
    if (isDraft || texts.some((one) => NAMES_ZOD.test(one)))
      changed.push(...this.#write(ZOD_ENTRY, ZOD_ENTRY_TEXT));
    const wanted = [...modules].filter(([name]) => isPackage(name));
    const ofPackages = this.#packages.put(scope, new Map(wanted));
    const changes = { ...ofPackages, changed: [...changed, ...ofPackages.changed] };
    return { config: isDraft ? draftConfigFile(scope) : configFile(scope), file, changes };
  }

  /** As the API of the compiler asks for it. */
  fileSystem() {
    const files = this.#files;
    const zod = this.#zod;
    const packages = this.#packages;
    const folders = SCOPES.flatMap((scope) => [`/${scope}`, `/${scope}/draft`]);
    const isModuleFolder = (path: string) =>
      [...files.keys()].some((file) => MODULE_FILE.test(file) && file.startsWith(`${path}/`));
    return {
      readFile: (path: string) =>
        files.get(path) ??
        packages.read(path) ??
        zod.read(path) ??
        (isCompilerLibrary(path) ? undefined : null),
      fileExists: (path: string) => files.has(path) || packages.has(path) || zod.has(path),
      directoryExists: (path: string) =>
        path === '/' ||
        folders.includes(path) ||
        packages.hasFolder(path) ||
        zod.hasFolder(path) ||
        isModuleFolder(path),
      getAccessibleEntries: () => ({ files: [], directories: [] }),
      realpath: (path: string) => path,
    };
  }

  /** What is there of modules is what the source imports: others may be deleted by now. */
  #putModules(scope: ScopeName, modules: ReadonlyMap<string, string>): string[] {
    const changed = [...modules].flatMap(([name, code]) =>
      isPackage(name) ? [] : this.#write(moduleFile(scope, name), code),
    );
    for (const file of this.#files.keys()) {
      const name = MODULE_FILE.exec(file);
      if (name?.[1] !== scope || modules.has(name[2] ?? '')) continue;
      this.#files.delete(file);
      changed.push(file);
    }
    return changed;
  }

  #addProject(config: string, files: readonly string[], modules: string): void {
    const packages = modules.replace('lib', 'npm');
    const paths = { '#lib/*': [modules], '*': [packages] };
    const compilerOptions = { ...COMPILER_OPTIONS, paths };
    this.#files.set(config, JSON.stringify({ compilerOptions, files }));
    for (const file of files) if (!this.#files.has(file)) this.#files.set(file, '');
  }

  #write(file: string, text: string): string[] {
    if (this.#files.get(file) === text) return [];
    this.#files.set(file, text);
    return [file];
  }
}

/** So many packages that nothing asks for any more stay with the compiler. */
const PACKAGES_KEPT_MAX = 16;

/**
 * The types of packages, as folders below `/<scope>/npm`. A package that one source imports stays
 * for the next: it has hundreds of files, which the compiler need not read again.
 */
class PackageFiles {
  /** Of each folder of a package: its text, and its files by their whole paths. */
  readonly #placed = new Map<string, PlacedPackage>();
  readonly #files = new Map<string, string>();
  /** With the number of packages that need each. */
  readonly #folders = new Map<string, number>();

  /** Texts by name. */
  put(scope: ScopeName, packages: ReadonlyMap<string, string>): FileChanges {
    const gone = new Set<string>();
    const come = new Set<string>();
    for (const [name, text] of packages) {
      const folder = `/${scope}/npm/${specifierOf(name)}`;
      const placed = this.#placed.get(folder);
      // It is the newest that was asked for.
      this.#placed.delete(folder);
      if (placed?.text === text) {
        this.#placed.set(folder, placed);
        continue;
      }
      for (const file of placed === undefined ? [] : this.#remove(placed)) gone.add(file);
      for (const file of this.#add(folder, text)) come.add(file);
    }
    for (const [folder, placed] of this.#placed) {
      if (this.#placed.size <= Math.max(PACKAGES_KEPT_MAX, packages.size)) break;
      this.#placed.delete(folder);
      for (const file of this.#remove(placed)) gone.add(file);
    }
    return {
      changed: [...come.intersection(gone)],
      created: [...come.difference(gone)],
      deleted: [...gone.difference(come)],
    };
  }

  read(path: string): string | undefined {
    return this.#files.get(path);
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  hasFolder(path: string): boolean {
    return this.#folders.has(path);
  }

  #add(folder: string, text: string): string[] {
    const files = [...typeFilesOf(text)].map(([path, content]) => {
      const file = `${folder}/${path}`;
      this.#files.set(file, content);
      return file;
    });
    const folders = foldersOf(files);
    for (const one of folders) this.#folders.set(one, (this.#folders.get(one) ?? 0) + 1);
    this.#placed.set(folder, { text, files, folders });
    return files;
  }

  #remove({ files, folders }: PlacedPackage): readonly string[] {
    for (const file of files) this.#files.delete(file);
    for (const folder of folders) {
      const count = (this.#folders.get(folder) ?? 0) - 1;
      if (count > 0) this.#folders.set(folder, count);
      else this.#folders.delete(folder);
    }
    return files;
  }
}

interface PlacedPackage {
  readonly text: string;
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

function foldersOf(files: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const file of files) {
    for (let path = dirname(file); path !== '/' && !folders.has(path); path = dirname(path)) {
      folders.add(path);
    }
  }
  return [...folders];
}

const NO_MODULES: ReadonlyMap<string, string> = new Map();

/** Both projects of a scope have it; two scopes must not share a file. */
export function moduleFile(scope: ScopeName, name: string): string {
  return `/${scope}/lib/${name}.ts`;
}

const MODULE_FILE = /^\/([^/]+)\/lib\/(.+)\.ts$/;

/** Both projects of a scope have it. */
export function scopeFile(scope: ScopeName): string {
  return `/${scope}/scope-${scope}.d.ts`;
}

/** Apart, as it is another one for most sources. */
function endpointsFile(scope: ScopeName): string {
  return `/${scope}/endpoints-${scope}.d.ts`;
}

function configFile(scope: ScopeName): string {
  return `/${scope}/tsconfig.json`;
}

function sourceFile(scope: ScopeName): string {
  return `/${scope}/endpoint.ts`;
}

/** Where it is checked that the source has an endpoint. */
export function entryFile(scope: ScopeName): string {
  return `/${scope}/entry.ts`;
}

function draftConfigFile(scope: ScopeName): string {
  return `/${scope}/draft/tsconfig.json`;
}

/**
 * To complete a name, the compiler looks for modules to import it from, which its API cannot: only
 * in a file with such a name, of an editor's text that is not saved, it does not look. Other files
 * do not find one like this, so it has a project of its own.
 */
function draftFile(scope: ScopeName): string {
  return `^/untitled/ts-nul-authority/${scope}.ts`;
}

function isCompilerLibrary(path: string): boolean {
  return /\/@typescript\/typescript-[\w-]+\/lib\/lib\.[\w.]+\.d\.ts$/.test(path);
}

const FOLDER = '/zod/';

/**
 * The file that gives the code of endpoints `z`, as a global and in its scope; its text takes the
 * compiler a while.
 */
const ZOD_ENTRY = `${FOLDER}z.d.ts`;

const MODULE = './v4/classic/external.js';
const ZOD_ENTRY_TEXT = `import * as zod from '${MODULE}';
export * from '${MODULE}';
export as namespace z;
declare global {
  interface Scope<Body = unknown> {
    /**
     * Schemas that check values: see https://zod.dev. It is a global too, for
     * \`export const input\`.
     */
    readonly z: typeof zod;
  }
}
`;

/** The type declarations of zod, as a folder of the compiler's virtual files. */
class ZodTypes {
  readonly #root = dirname(createRequire(import.meta.url).resolve('zod/package.json'));

  /** Undefined for what is not there. */
  read(path: string): string | undefined {
    return this.has(path) ? readFileSync(this.#onDisk(path), 'utf8') : undefined;
  }

  has(path: string): boolean {
    const isDeclaration = path.startsWith(FOLDER) && path.endsWith('.d.ts') && !path.includes('..');
    return isDeclaration && existsSync(this.#onDisk(path));
  }

  hasFolder(path: string): boolean {
    return `${path}/`.startsWith(FOLDER) && !path.includes('..') && existsSync(this.#onDisk(path));
  }

  #onDisk(path: string): string {
    return join(this.#root, path.slice(FOLDER.length));
  }
}
