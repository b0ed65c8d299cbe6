import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import {
  DEFINITION_FILES,
  DEFINITION_FOLDERS,
  DEFINITIONS_FORMAT,
  EXPORTED_KINDS,
} from '@trellis/contract/shapes/definitions.ts';
import { parseSettings, SettingsFault } from '@trellis/endpoint/settings-header.ts';
import { CommandFailure } from './failure.ts';
import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';

/**
 * Names the files that were pulled, with the SHA-256 of what they were: nothing else is overwritten
 * or deleted unasked.
 */
const RECORD_FILE = '.trellis-definitions.json';
const MANIFEST = 'manifest.json';

/** What a pull has done to a folder; paths with slashes. */
export interface Pulled {
  readonly written: readonly string[];
  readonly deleted: readonly string[];
  /** Files that are not in the workspace any more, and were changed since they were pulled. */
  readonly kept: readonly string[];
}

/** A folder in which definitions lie as in an export, perhaps beside other files. */
export class DefinitionsFolder {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** The files that definitions may lie in; hidden ones and links are left out. */
  files(): FilesByPath {
    if (!existsSync(join(this.#path, MANIFEST))) {
      throw new CommandFailure(`${this.#path} has no manifest.json`, {
        hint: 'Name a folder that "trellis pull" has filled.',
      });
    }
    const inFolders = DEFINITION_FOLDERS.flatMap((folder) => this.#filesBelow(folder));
    const atRoot = DEFINITION_FILES.filter((name) => existsSync(join(this.#path, name)));
    const paths = [...atRoot, ...inFolders].filter((path) => !BESIDE.test(path)).toSorted();
    const files = new Map(paths.map((path) => [path, readFileSync(join(this.#path, path))]));
    for (const [path, text] of settingsInCode(files)) files.set(path, Buffer.from(text));
    return files;
  }

  /**
   * Makes the folder what the workspace is. Refuses to overwrite what was changed since the last
   * pull, or was never pulled, unless it is forced to; deletes only what it has pulled before and
   * finds as it was.
   */
  take(given: FilesByPath, { force }: { readonly force: boolean }): Pulled {
    const record = this.#record();
    const present = this.#manifest();
    const files = withKindsOf(present, given);
    const isGiven = kindsIn(given);
    const wanted = [...files].filter(([path, content]) => !this.#has(path, content));
    const changed = wanted.map(([path]) => path).filter((path) => this.#isOwn(path, record));
    if (changed.length > 0 && !force) throw overwrites(this.#path, changed);
    mkdirSync(this.#path, { recursive: true });
    for (const [path, content] of wanted) this.#write(path, content);
    const gone = [...record.keys()].filter(
      (path) => !files.has(path) && isGiven(path) && existsSync(join(this.#path, path)),
    );
    const kept = gone.filter((path) => this.#isOwn(path, record));
    const deleted = gone.filter((path) => !kept.includes(path));
    for (const path of deleted) this.#delete(path);
    const foreign = [...record].filter(([path]) => !isGiven(path));
    this.#keepRecord(files, foreign);
    return { written: wanted.map(([path]) => path), deleted, kept };
  }

  #filesBelow(folder: string): string[] {
    const path = join(this.#path, folder);
    if (!existsSync(path)) return [];
    return readdirSync(path, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(this.#path, join(parentPath, name)))
      .map((one) => one.replaceAll(sep, '/'))
      .filter((one) => !one.split('/').some((part) => part.startsWith('.')));
  }

  #has(path: string, content: Buffer): boolean {
    const file = join(this.#path, path);
    return existsSync(file) && content.equals(readFileSync(file));
  }

  /** Whether it is somebody's own work: there, and not what was pulled. */
  #isOwn(path: string, record: ReadonlyMap<string, string>): boolean {
    const file = join(this.#path, path);
    return existsSync(file) && record.get(path) !== digestOf(readFileSync(file));
  }

  #write(path: string, content: Buffer): void {
    const file = join(this.#path, path);
    const above = path.split('/').slice(0, -1);
    for (const i of above.keys()) {
      const folder = join(this.#path, ...above.slice(0, i + 1));
      if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
        throw new CommandFailure(`${file} would lie somewhere else: ${folder} is a link`);
      }
    }
    mkdirSync(dirname(file), { recursive: true });
    // A link is not followed: the file takes its place.
    rmSync(file, { force: true });
    writeFileSync(file, content);
  }

  /** With the folders that nothing is left in. */
  #delete(path: string): void {
    rmSync(join(this.#path, path));
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      if (readdirSync(join(this.#path, folder)).length > 0) return;
      rmdirSync(join(this.#path, folder));
    }
  }

  #record(): ReadonlyMap<string, string> {
    const file = join(this.#path, RECORD_FILE);
    if (!existsSync(file)) return new Map();
    try {
      const { files } = JSON.parse(readFileSync(file, 'utf8')) as { readonly files: object };
      const inside = Object.entries(files).filter(([path]) => isInside(path));
      return new Map(inside.map(([path, digest]) => [path, String(digest)]));
    } catch (cause) {
      throw new CommandFailure(`${file} cannot be read`, {
        hint: 'Delete it; the next pull makes it again.',
        cause,
      });
    }
  }

  #manifest(): Buffer | undefined {
    const file = join(this.#path, MANIFEST);
    return existsSync(file) ? readFileSync(file) : undefined;
  }

  #keepRecord(files: FilesByPath, others: Iterable<readonly [string, string]>): void {
    const digests = [...files].map(([path, content]) => [path, digestOf(content)] as const);
    const record = { files: Object.fromEntries([...others, ...digests]) };
    writeFileSync(join(this.#path, RECORD_FILE), `${JSON.stringify(record, null, 2)}\n`);
  }
}

/** What lies beside the code of endpoints, for people and editors. */
const BESIDE = /\.(?:test|d)\.ts$/;

/**
 * The settings of endpoints without a file for them, as the top of their code says them: see
 * `trellis endpoint push`.
 */
function settingsInCode(files: FilesByPath): [path: string, text: string][] {
  return [...files].flatMap(([path, content]): [string, string][] => {
    const settingsFile = path.replace(/\.ts$/, '.json');
    if (!/^endpoints\/.*\.ts$/.test(path) || files.has(settingsFile)) return [];
    try {
      const settings = parseSettings(String(content));
      const isAny = Object.keys(settings).length > 0;
      return isAny ? [[settingsFile, `${JSON.stringify(settings, null, 2)}\n`]] : [];
    } catch (error) {
      if (!(error instanceof SettingsFault)) throw error;
      throw new CommandFailure(`${path}:${error.line}: ${error.message}`, { cause: error });
    }
  });
}

/** Kinds that the manifest names; all of them when it cannot be read. */
function kindsOf(manifest: Buffer | undefined): readonly string[] {
  try {
    const { kinds } = JSON.parse(String(manifest)) as { readonly kinds?: unknown };
    return Array.isArray(kinds) ? kinds.map(String) : EXPORTED_KINDS;
  } catch {
    return EXPORTED_KINDS;
  }
}

/**
 * Which files an export would have, if they were there: with a deploy token it has not all kinds.
 */
function kindsIn(files: FilesByPath): (path: string) => boolean {
  const kinds = kindsOf(files.get(MANIFEST));
  return (path) => path === MANIFEST || kinds.includes(kindOf(path));
}

/** Most kinds are called like their folder, in the singular, or like their file. */
function kindOf(path: string): string {
  const [first = ''] = path.split('/');
  if (first === 'lib') return 'module';
  if (first === 'npm') return 'package';
  const singular = EXPORTED_KINDS.find((kind) => `${kind}s` === first);
  return singular ?? first.replace(/\.json$/, '');
}

/** With the manifest of the folder, when that names more kinds: their files stay. */
function withKindsOf(present: Buffer | undefined, files: FilesByPath): FilesByPath {
  const given = files.get(MANIFEST);
  if (present === undefined || given === undefined) return files;
  const [before, after] = [kindsOf(present), kindsOf(given)];
  const isLess = after.length < before.length && after.every((kind) => before.includes(kind));
  return isLess ? new Map([...files, [MANIFEST, present]]) : files;
}

/**
 * A record may come from a repository of others: it names nothing but what may have been pulled.
 */
function isInside(path: string): boolean {
  const parts = path.split('/');
  const [first = ''] = parts;
  if (parts.length === 1) return DEFINITION_FILES.includes(path);
  return DEFINITION_FOLDERS.includes(first) && !parts.some((part) => /^\.*$|\\/.test(part));
}

function overwrites(folder: string, paths: readonly string[]): CommandFailure {
  const [first] = paths;
  const more = paths.length === 1 ? '' : ` and ${paths.length - 1} more files`;
  return new CommandFailure(`${folder}: ${first}${more} would be overwritten`, {
    hint: 'They were changed since they were pulled, or never pulled: push them first, or overwrite them with --force.',
  });
}

function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Contents by path, which has slashes. */
export type FilesByPath = ReadonlyMap<string, Buffer>;

/** The same files are the same zip. */
const NO_TIME = new Date('2000-01-01T00:00:00Z');

export async function packed(files: FilesByPath): Promise<Uint8Array<ArrayBuffer>> {
  const zip = new ZipFile();
  for (const [path, content] of files) zip.addBuffer(content, path, { mtime: NO_TIME });
  zip.end();
  return Uint8Array.from(await buffer(zip.outputStream));
}

/** A zip of files of this kind alone, which `trellis dev` sends. */
export function packedAlone(
  kind: (typeof EXPORTED_KINDS)[number],
  files: Iterable<readonly [path: string, content: Buffer]>,
): Promise<Uint8Array<ArrayBuffer>> {
  const manifest = { format: DEFINITIONS_FORMAT, product: 'Trellis', kinds: [kind] };
  return packed(new Map([[MANIFEST, Buffer.from(JSON.stringify(manifest))], ...files]));
}

/** Refuses names that lead out of the zip, whoever has made it. */
export async function unpacked(zip: Uint8Array): Promise<FilesByPath> {
  const files = new Map<string, Buffer>();
  try {
    const archive = await fromBufferPromise(Buffer.from(zip), { strictFileNames: true });
    for await (const entry of archive.eachEntry()) {
      files.set(entry.fileName, await buffer(await archive.openReadStreamPromise(entry)));
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CommandFailure(`What the server sent is no whole zip: ${why}`, { cause });
  }
  return files;
}
