import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { temporaryFolder } from './trellis-process.ts';

const ROOT = join(import.meta.dirname, '../..');

type Files = Readonly<Record<string, string>>;

/** A folder of definitions whose package.json has packages, with its lock file. */
export class NpmFolder implements AsyncDisposable {
  readonly path: string;
  readonly #folder: AsyncDisposable;
  readonly #locked: Record<string, unknown> = {};

  private constructor(folder: Awaited<ReturnType<typeof temporaryFolder>>) {
    this.path = folder.path;
    this.#folder = folder;
  }

  /** With packages that this repository has installed itself. */
  static async with(names: readonly string[]): Promise<NpmFolder> {
    const folder = new NpmFolder(await temporaryFolder());
    const manifest = { format: 1, product: 'Trellis' };
    await folder.write({
      'manifest.json': JSON.stringify(manifest),
      'package.json': JSON.stringify({ name: 'mine', type: 'module', imports: IMPORTS }),
    });
    for (const name of names) await folder.#link(name);
    await folder.writeLock();
    return folder;
  }

  async write(files: Files): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.path, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
  }

  /** A package that there is in no registry. */
  async add(name: string, files: Files, version = '1.0.0'): Promise<void> {
    const manifest = { name, version, license: 'ISC', main: 'index.js' };
    const all: Files = { 'package.json': JSON.stringify(manifest), ...files };
    const placed = Object.entries(all).map(([path, text]) => [
      `node_modules/${name}/${path}`,
      text,
    ]);
    await this.write(Object.fromEntries(placed) as Files);
    await this.lock(name, { version });
  }

  async lock(name: string, entry: Readonly<Record<string, unknown>> | undefined): Promise<void> {
    if (entry === undefined) delete this.#locked[`node_modules/${name}`];
    else this.#locked[`node_modules/${name}`] = entry;
    await this.writeLock();
  }

  async writeLock(): Promise<void> {
    const lock = { lockfileVersion: 3, packages: { '': { name: 'mine' }, ...this.#locked } };
    await this.write({ 'package-lock.json': JSON.stringify(lock) });
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#folder[Symbol.asyncDispose]();
  }

  async #link(name: string): Promise<void> {
    const path = join(this.path, 'node_modules', name);
    const source = join(ROOT, 'node_modules', name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(source, path);
    const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as unknown;
    const { version } = Object(manifest) as { readonly version?: unknown };
    this.#locked[`node_modules/${name}`] = { version };
  }
}

const IMPORTS = { '#lib/*': './lib/*' };
