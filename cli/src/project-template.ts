import { schemaDocument } from '@trellis/contract/shapes/schema-document.ts';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { CommandFailure } from './failure.ts';

const TEMPLATES = join(import.meta.dirname, '../templates');
const SCOPE = '@trellis/';
/** Where archives of packages lie in a project that has them. */
const ARCHIVES = 'packages';

export interface Project {
  readonly folder: string;
  /** By template; see `templateNames`. */
  readonly template: string;
  /** The version of the packages that the project is tested with. */
  readonly version: string;
  /** A folder, or one above it, with the archives that `npm run package` makes. */
  readonly packages?: string | undefined;
}

/** The folders in `templates`, in which names that begin with `_` stand for hidden files. */
export function templateNames(): string[] {
  return readdirSync(TEMPLATES).toSorted();
}

/** The text of the tsconfig.json with which endpoints and their tests compile. */
export function endpointsCompilerOptions(): string {
  return readFileSync(join(TEMPLATES, 'endpoints/tsconfig.json'), 'utf8');
}

/**
 * Writes the files of a template into a folder, and gives their paths in it. A file that is there
 * already is never overwritten: then nothing is written at all.
 */
export async function makeProject(project: Project): Promise<string[]> {
  const { folder, template } = project;
  const files = new Map(
    templateFiles(template).map(([path, text]) => [path, filled(text, project)]),
  );
  await addDeclarations(files);
  const archives = useArchives(files, project);
  const present = [...files.keys(), ...archives.keys()].filter((path) =>
    existsSync(join(folder, path)),
  );
  if (present.length > 0) throw overwrites(folder, present);
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const [path, archive] of archives) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(archive, join(folder, path));
  }
  return [...files.keys(), ...archives.keys()].toSorted();
}

function templateFiles(template: string): [path: string, text: string][] {
  const root = join(TEMPLATES, template);
  return readdirSync(root, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }): [string, string] => {
      const file = join(parentPath, name);
      const path = file
        .slice(root.length + 1)
        .split(sep)
        .map(ownName)
        .join('/');
      return [path, readFileSync(file, 'utf8')];
    });
}

/** npm leaves `.gitignore` out of a package. */
function ownName(name: string): string {
  return name.replace(/^_/, '.');
}

function filled(text: string, { folder, version }: Project): string {
  return text.replaceAll('__NAME__', packageName(folder)).replaceAll('__VERSION__', version);
}

/** What npm takes as the name of a package, after the folder. */
function packageName(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return name === '' ? 'workspace' : name;
}

/** The types of the schema, as `trellis types` writes them, for a folder that has no server yet. */
async function addDeclarations(files: Map<string, string>): Promise<void> {
  const schema = files.get('schema.json');
  if (schema === undefined || ![...files.keys()].some((path) => path.startsWith('endpoints/')))
    return;
  // Only here: no other command should have to load so much of the server.
  const { scopeDeclarations } = await import('@trellis/server/scope-declarations.ts');
  const document = schemaDocument.parse(JSON.parse(schema));
  files.set('endpoints/trellis.d.ts', scopeDeclarations(document));
}

/**
 * Has `package.json` name archives instead of versions, for packages that are in no registry. Gives
 * the archives by the paths that they get.
 */
function useArchives(
  files: Map<string, string>,
  { packages, version }: Project,
): Map<string, string> {
  const archives = new Map<string, string>();
  const text = files.get('package.json');
  if (packages === undefined || text === undefined) return archives;
  const changed = text.replaceAll(/"@trellis\/([\w-]+)": "[^"]*"/g, (_, name: string) => {
    const archive = `trellis-${name}-${version}.tgz`;
    const [found] = globSync(`{,*/}${archive}`, { cwd: packages });
    if (found === undefined) {
      const [other] = globSync(`{,*/}trellis-${name}-*.tgz`, { cwd: packages });
      throw new CommandFailure(`there is no ${archive} in ${packages}`, {
        hint:
          other === undefined
            ? 'Name the folder that "npm run package" has filled.'
            : `${basename(other)} is of another version: use the command that was made with it, or ` +
              'run "npm run package" again, without --build.',
      });
    }
    archives.set(`${ARCHIVES}/${archive}`, join(packages, found));
    return `"${SCOPE}${name}": "file:${ARCHIVES}/${archive}"`;
  });
  files.set('package.json', changed);
  return archives;
}

function overwrites(folder: string, paths: readonly string[]): CommandFailure {
  const [first] = paths;
  const more = paths.length === 1 ? '' : ` and ${paths.length - 1} more files`;
  return new CommandFailure(`${join(folder, first ?? '')}${more} would be overwritten`, {
    code: 'files_exist',
    hint: 'Name another folder, or move them away.',
  });
}
