import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, posix, resolve } from 'node:path';
import {
  existingParts,
  type ImportTable,
  PACKAGE_SCOPE,
  readImportTable,
  readManifest,
  SAMPLE_READERS,
} from './import-table.ts';

/**
 * Writes one compiler project for each part and package, from `server/import-table.json` and the
 * package.json files, so that a forbidden import does not compile: a project resolves `#part/` for
 * the allowed parts only and sees of other projects their declarations. Run it after the table, a
 * part or a package has changed: `npm run import-table`.
 *
 * Tests are left to the tsconfig.json at the root, which holds the whole repository.
 */

/** Where the declarations go; nothing runs from them. */
const DECLARATIONS = 'node_modules/.cache/declarations';
const SOLUTION = 'tsconfig.parts.json';

interface Project {
  /** From the root, with forward slashes. */
  readonly folder: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  /** Folders of the projects whose declarations it may see. */
  readonly references: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Browser and Node alike: no names of Node, those of the platforms' common part instead. */
const EVERYWHERE = { types: [], lib: ['es2025', 'esnext.disposable', 'dom', 'dom.iterable'] };

export function compilerProjects(root: string, table: ImportTable): Map<string, string> {
  const projects = [
    packageProject(root, 'contract', EVERYWHERE),
    packageProject(root, 'endpoint', { ...EVERYWHERE, types: ['node'] }),
    packageProject(root, 'client', EVERYWHERE),
    packageProject(root, 'connector', {}),
    packageProject(root, 'cli', {}),
    {
      folder: 'samples',
      include: ['.'],
      exclude: ['*/endpoints'],
      references: [],
      options: {},
    },
    ...existingParts(root, table).map((part) => partProject(root, table, part)),
  ].filter((project) => existsSync(join(root, project.folder)));
  const files = new Map(
    projects.map((project) => [`${project.folder}/tsconfig.json`, projectFile(project)]),
  );
  return files.set(SOLUTION, solutionFile(projects));
}

function partProject(root: string, table: ImportTable, part: string): Project {
  const names = table.parts[part] ?? [];
  const parts = existingParts(root, table).filter((name) => names.includes(name));
  const packages = names.filter((name) => !(name in table.parts)).map(folderOf);
  return {
    folder: `server/src/${part}`,
    include: ['.'],
    references: [...parts.map((name) => `server/src/${name}`), ...packages],
    options: {
      resolvePackageJsonImports: false,
      paths: Object.fromEntries(parts.map((name) => [`#${name}/*`, [`../${name}/*`]])),
    },
  };
}

function packageProject(root: string, name: string, options: Project['options']): Project {
  const { dependencies = {}, devDependencies = {} } = readManifest(root, name);
  const packages = Object.keys({ ...dependencies, ...devDependencies })
    .filter((dependency) => dependency.startsWith(PACKAGE_SCOPE))
    .map(folderOf);
  const references = SAMPLE_READERS.includes(name) ? [...packages, 'samples'] : packages;
  return { folder: name, include: ['src', 'src/**/*.json', 'package.json'], references, options };
}

/** The folder that others import. The server's is `app`, as server/package.json exports it. */
function folderOf(name: string): string {
  const folder = name.replace(PACKAGE_SCOPE, '');
  return folder === 'server' ? 'server/src/app' : folder;
}

function projectFile(project: Project): string {
  const toRoot = posix.relative(project.folder, '.');
  const declarations = `${toRoot}/${DECLARATIONS}/${project.folder}`;
  return json({
    extends: `${toRoot}/tsconfig.base.json`,
    compilerOptions: {
      module: 'esnext',
      moduleResolution: 'bundler',
      noEmit: false,
      composite: true,
      emitDeclarationOnly: true,
      rootDir: '.',
      outDir: declarations,
      tsBuildInfoFile: `${declarations}.tsbuildinfo`,
      ...project.options,
    },
    include: project.include,
    exclude: [...(project.exclude ?? []), '**/*.test.ts', '**/testing'],
    references: project.references.map((folder) => ({
      path: posix.relative(project.folder, folder),
    })),
  });
}

function solutionFile(projects: readonly Project[]): string {
  return json({ files: [], references: projects.map(({ folder }) => ({ path: folder })) });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The files that are not what the table says, each with what it should hold. */
export function staleProjects(root: string, table: ImportTable): Map<string, string> {
  const files = [...compilerProjects(root, table)];
  return new Map(files.filter(([path, text]) => readText(join(root, path)) !== text));
}

function readText(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..');
  for (const [path, text] of staleProjects(root, readImportTable(root))) {
    writeFileSync(join(root, path), text);
    process.stdout.write(`wrote ${path}\n`);
  }
}
