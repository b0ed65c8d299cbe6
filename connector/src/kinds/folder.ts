import type { FolderSource } from '@trellis/contract/shapes/connector.ts';
import { opendir } from 'node:fs/promises';
import { ConnectorError } from '../connector-error.ts';
import { type DiskPlace, listedAt, openOnDisk, unreadable, whyNotRead } from './disk-files.ts';
import { bringTree, type FileTree, type TreeEntry, type TreeNames } from './file-tree.ts';
import { PathRules } from './path-rules.ts';
import type { ConnectorKind, SourceContext } from './source-context.ts';
import { OPEN, type SourceReaders } from './source-readers.ts';

const NAMES: TreeNames = {
  folder: 'DiskFolder',
  file: 'DiskFile',
  inside: 'DiskIn',
  has: 'DiskHas',
};
const FOLDER_ENTRIES_MAX = 50_000;
const VERSION_RADIX = 36;
/** The end of the year 9999. */
const MODIFIED_MS_MAX = 253_402_300_799_999;

/** A folder on the disk of the server. */
export const folderKind: ConnectorKind<FolderSource> = {
  async test(source, context) {
    const tree = new DiskTree(source, context);
    const [, ...entries] = (await tree.list(tree.root)) ?? [];
    const folders = entries.filter(({ isFolder }) => isFolder).length;
    return `A folder with ${folders} folders and ${entries.length - folders} files right in it`;
  },
  async run(source, target, context) {
    const { fileBytesMax } = source;
    const tree = new DiskTree(source, context);
    const settings = {
      name: `folder ${source.url}`,
      names: NAMES,
      place: tree.place,
      fileBytesMax,
    };
    return bringTree(tree, settings, target, context);
  },
};

type Place = Pick<TreeEntry, 'path'>;

/** A folder with what is below it. What is neither file nor folder, such as a link, is left out. */
class DiskTree implements FileTree<Place, TreeEntry> {
  readonly root: Place = { path: '' };
  readonly #source: FolderSource;
  readonly #log: (text: string) => void;
  readonly #disk: DiskPlace;
  readonly #rules: PathRules | undefined;
  #bytes = 0;

  constructor(source: FolderSource, { disk, log }: Pick<SourceContext, 'disk' | 'log'>) {
    if (disk === undefined) throw new ConnectorError('source_failed', 'Nothing may be read');
    this.#source = source;
    this.#log = log;
    this.#disk = disk;
    this.#rules = source.access === 'rules' ? new PathRules(source.rules) : undefined;
  }

  /** Without the slash that all paths begin with. */
  get place(): string {
    return this.#disk.path.slice(1) || '/';
  }

  placeOf({ path }: TreeEntry): Place {
    return { path };
  }

  async list({ path }: Place): Promise<TreeEntry[] | undefined> {
    const folder = this.#at(path);
    const entries = await this.#read(path, async () => {
      await using handle = await openOnDisk(folder, 'folder');
      const names: { readonly name: string; readonly isFolder: boolean }[] = [];
      let others = 0;
      for await (const entry of await opendir(listedAt(handle, folder))) {
        if (entry.isDirectory() || entry.isFile()) {
          names.push({ name: entry.name, isFolder: entry.isDirectory() });
        } else others++;
        if (names.length > FOLDER_ENTRIES_MAX) {
          throw new TooMany(`"${path}" has over ${FOLDER_ENTRIES_MAX} entries`);
        }
      }
      if (others > 0) this.#log(`"/${path}": ${others} links and the like are left out`);
      return names.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    });
    if (entries === undefined) return undefined;
    const listed = [folderEntry(path)];
    for (const { name, isFolder } of entries) {
      const below = path === '' ? name : `${path}/${name}`;
      const entry = isFolder ? folderEntry(below) : await this.#file(below);
      if (entry !== undefined) listed.push(entry);
    }
    return listed;
  }

  /** Null when it is larger than the settings allow; undefined when it cannot be read. */
  content({ path }: Place): Promise<Uint8Array<ArrayBuffer> | null | undefined> {
    const { fileBytesMax } = this.#source;
    return this.#read(path, async () => {
      await using handle = await openOnDisk(this.#at(path), 'file');
      const content = new Uint8Array(Math.min((await handle.stat()).size, fileBytesMax + 1));
      let length = 0;
      while (length < content.length) {
        const { bytesRead } = await handle.read(content, length, content.length - length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      this.#count(length);
      return length > fileBytesMax ? null : content.subarray(0, length);
    });
  }

  async readersOf({ path }: TreeEntry): Promise<SourceReaders> {
    return this.#rules === undefined ? OPEN : this.#rules.readersOf(path);
  }

  unusedRules(): readonly string[] {
    return this.#rules?.unused() ?? [];
  }

  #file(path: string): Promise<TreeEntry | undefined> {
    return this.#read(path, async () => {
      await using handle = await openOnDisk(this.#at(path), 'file');
      const { size, mtimeMs, ctimeNs } = await handle.stat({ bigint: true });
      return {
        path,
        isFolder: false,
        // The time of the last change of any kind, which no program can set.
        version: `${ctimeNs.toString(VERSION_RADIX)}-${size.toString(VERSION_RADIX)}`,
        bytes: Number(size),
        modified: isoOf(Number(mtimeMs)),
        contentType: undefined,
      };
    });
  }

  /** Undefined, with a word in the log, for what has gone meanwhile or cannot be read. */
  async #read<T>(path: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof TooMany) throw error;
      const why = whyNotRead(error);
      // A disk that fails is no folder that has gone: what was brought of it stays.
      if (path === '' || why === undefined) throw unreadable(this.#at(path), error);
      this.#log(`"/${path}" is left out: it ${why}`);
      return undefined;
    }
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    const { bytesMax } = this.#disk;
    if (this.#bytes > bytesMax) throw new TooMany(`The files have more than ${bytesMax} bytes`);
  }

  #at(path: string): string {
    const { path: folder } = this.#disk;
    if (path === '') return folder;
    return folder === '/' ? `/${path}` : `${folder}/${path}`;
  }
}

/** What a run may not read: it ends, and nothing is left out of it in silence. */
class TooMany extends ConnectorError {
  constructor(message: string) {
    super('source_failed', message);
  }
}

/** Programs may give a file any time: undefined of one that the workspace does not take. */
function isoOf(ms: number): string | undefined {
  return ms >= 0 && ms <= MODIFIED_MS_MAX ? new Date(ms).toISOString() : undefined;
}

function folderEntry(path: string): TreeEntry {
  const unknown = { version: '', bytes: undefined, modified: undefined, contentType: undefined };
  return { path, isFolder: true, ...unknown };
}
