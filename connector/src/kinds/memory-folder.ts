import { ConnectorError } from '../connector-error.ts';

/** What Git is kept in while it is read: files by their path, up to so many bytes in all. */
export class MemoryFolder {
  readonly #files = new Map<string, Uint8Array>();
  readonly #folders = new Set<string>(['/']);
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** As `isomorphic-git` takes a file system. */
  readonly promises = {
    readFile: async (path: string, options?: { encoding?: string } | string) => {
      const bytes = this.#files.get(normal(path));
      if (bytes === undefined) throw missing(path);
      const encoding = typeof options === 'string' ? options : options?.encoding;
      return encoding === 'utf8' ? Buffer.from(bytes).toString('utf8') : Buffer.from(bytes);
    },
    writeFile: async (path: string, content: Uint8Array | string) => {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content;
      const name = normal(path);
      this.#bytes += bytes.length - (this.#files.get(name)?.length ?? 0);
      if (this.#bytes > this.#bytesMax) {
        const message = `The repository has more than ${this.#bytesMax / 2 ** 20} MiB`;
        throw new ConnectorError('source_failed', message);
      }
      this.#files.set(name, bytes);
    },
    unlink: async (path: string) => {
      const name = normal(path);
      this.#bytes -= this.#files.get(name)?.length ?? 0;
      if (!this.#files.delete(name)) throw missing(path);
    },
    readdir: async (path: string) => {
      const folder = normal(path);
      if (!this.#folders.has(folder)) throw missing(path);
      const prefix = folder === '/' ? '/' : `${folder}/`;
      const names = [...this.#files.keys(), ...this.#folders]
        .filter((name) => name.startsWith(prefix) && name !== prefix)
        .map((name) => name.slice(prefix.length).split('/', 1)[0] ?? '');
      return [...new Set(names)];
    },
    mkdir: async (path: string) => {
      const name = normal(path);
      if (this.#folders.has(name)) throw coded('EEXIST', path);
      this.#folders.add(name);
    },
    rmdir: async (path: string) => {
      if (!this.#folders.delete(normal(path))) throw missing(path);
    },
    stat: async (path: string) => this.#stat(path),
    lstat: async (path: string) => this.#stat(path),
    readlink: async (path: string) => {
      throw missing(path);
    },
    symlink: async (_target: string, path: string) => {
      throw coded('EPERM', path);
    },
  };

  #stat(path: string) {
    const name = normal(path);
    const file = this.#files.get(name);
    if (file === undefined && !this.#folders.has(name)) throw missing(path);
    const isFile = file !== undefined;
    return {
      size: file?.length ?? 0,
      mode: isFile ? 0o100_644 : 0o040_000,
      mtimeMs: 0,
      ctimeMs: 0,
      dev: 0,
      ino: 0,
      uid: 0,
      gid: 0,
      isFile: () => isFile,
      isDirectory: () => !isFile,
      isSymbolicLink: () => false,
    };
  }
}

function normal(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  return `/${segments.join('/')}`;
}

function missing(path: string): Error {
  return coded('ENOENT', path);
}

function coded(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}
