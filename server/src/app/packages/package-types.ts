import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API } from 'typescript/unstable/sync';
import { isImportDeclaration } from 'typescript/unstable/ast/is';
import { LANGUAGE_OPTIONS } from '#runtime/compile/project-files.ts';
import { type PackageLock, packageNameIn } from './package-lock.ts';

/** The declaration files of a package, and of what they import, by path below `node_modules`. */
export interface PackageTypes {
  /** Null for a package that has none. */
  readonly typesEntry: string | null;
  readonly types: Readonly<Record<string, string>>;
}

const OPTIONS = {
  ...LANGUAGE_OPTIONS,
  preserveSymlinks: true,
  customConditions: ['browser'],
};

/** There is none of it in an endpoint, and what is named in a type is taken as anything. */
const OF_NODE = /\/node_modules\/(?:@types\/node|undici-types)\//;

/**
 * Finds the types of what is imported in a folder as the compiler does, which reads them from the
 * disk; the file that imports is not there.
 */
export function typesOfPackages(
  folder: string,
  lock: PackageLock,
  specifiers: readonly string[],
): Map<string, PackageTypes> {
  const files = new Map<string, string>();
  const configs = specifiers.map((specifier, i) => {
    const config = join(folder, `.trellis-types-${i}.json`);
    const entry = join(folder, `.trellis-types-${i}.ts`);
    files.set(config, JSON.stringify({ compilerOptions: OPTIONS, files: [entry] }));
    files.set(entry, `import * as all from ${JSON.stringify(specifier)};\nall;\n`);
    return { specifier, config, entry };
  });
  const api = new API({
    cwd: folder,
    fs: {
      readFile: (path) => files.get(path),
      fileExists: (path) => (files.has(path) ? true : undefined),
    },
  });
  try {
    const snapshot = api.updateSnapshot({ openProjects: configs.map(({ config }) => config) });
    const found = configs.map(({ specifier, config, entry }): [string, PackageTypes] => {
      const project = snapshot.getProject(config);
      const statement = project?.program.getSourceFile(entry)?.statements[0];
      const symbol =
        statement !== undefined && isImportDeclaration(statement)
          ? project?.checker.getSymbolAtLocation(statement.moduleSpecifier)
          : undefined;
      const declaration = symbol?.declarations?.[0]?.path;
      const names = project?.program.getSourceFileNames() ?? [];
      return [specifier, typesIn(declaration, names, lock, specifier)];
    });
    return new Map(found);
  } finally {
    api.close();
  }
}

function typesIn(
  declaration: string | undefined,
  names: readonly string[],
  lock: PackageLock,
  specifier: string,
): PackageTypes {
  // The compiler's own path of a file may be in lower case.
  const entry = names.find((name) => name.toLowerCase() === declaration?.toLowerCase());
  if (entry === undefined || !entry.includes('/node_modules/')) {
    return { typesEntry: null, types: {} };
  }
  const own = names.filter(
    (name) => name.includes('/node_modules/') && DECLARATIONS.test(name) && !OF_NODE.test(name),
  );
  // The compiler's own library lies in node_modules, too.
  const used = own.filter((name) => !/\/node_modules\/@?typescript\//.test(name));
  const types = new Map(used.map((name) => [placeOf(name), readFileSync(name, 'utf8')]));
  for (const name of used) {
    const { folder, manifest, name: owner } = lock.packageOf(name);
    const { name: called, type, main, types: at, typings, typesVersions, exports } = manifest;
    const isOwn = owner === packageNameIn(specifier);
    const said = isOwn
      ? { name: called, type }
      : { name: called, type, main, types: at, typings, typesVersions, exports };
    types.set(placeOf(`${folder}/package.json`), JSON.stringify(said));
  }
  const sorted = [...types].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { typesEntry: placeOf(entry), types: Object.fromEntries(sorted) };
}

const DECLARATIONS = /\.d\.[cm]?ts$/;

/** Below the outermost folder of packages. */
export function placeOf(file: string): string {
  const start = '/node_modules/';
  return file.slice(file.indexOf(start) + start.length);
}
