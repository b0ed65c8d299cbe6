import { writeSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { Problem } from '#base/problem.ts';
import { createFolderDurably, syncFolder, UNFINISHED, unlessMissing } from '#log/durable-file.ts';
import { lockFolder } from '#log/folder-lock.ts';
import { targetFailed } from './backup-problem.ts';
import type { BackupTarget, TargetFile } from './backup-target.ts';

const LOCK_FOLDER = 'lock';
const STATS_AT_ONCE = 64;
const WRITE_BYTES_MAX = 256 * 1024;

/** Backups in a folder of this machine, or of one that it has mounted. */
export class FolderTarget implements BackupTarget {
  readonly name: string;
  readonly #folder: string;
  /** Folders whose names of files are not durable yet. */
  readonly #changed = new Set<string>();

  constructor(folder: string) {
    this.name = folder;
    this.#folder = folder;
  }

  async list(folder: string): Promise<readonly TargetFile[]> {
    const path = join(this.#folder, folder);
    return this.#doing(`listing ${path}`, async () => {
      const entries = await unlessMissing(readdir(path, { recursive: true, withFileTypes: true }));
      const files = (entries ?? [])
        .filter((entry) => entry.isFile() && !entry.name.endsWith(UNFINISHED))
        .map((entry) => join(entry.parentPath, entry.name));
      const found: TargetFile[] = [];
      for (let from = 0; from < files.length; from += STATS_AT_ONCE) {
        const some = files.slice(from, from + STATS_AT_ONCE);
        const sizes = await Promise.all(some.map((file) => unlessMissing(stat(file))));
        for (const [i, file] of some.entries()) {
          const name = relative(this.#folder, file).replaceAll(sep, '/');
          const size = sizes[i]?.size;
          if (size !== undefined) found.push({ path: name, bytes: size });
        }
      }
      return found;
    });
  }

  read(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const file = join(this.#folder, path);
    return this.#doing(`reading ${file}`, () => unlessMissing(readWhole(file)));
  }

  async write(path: string, content: readonly Uint8Array[]): Promise<void> {
    const file = join(this.#folder, path);
    await this.#doing(`writing ${file}`, async () => {
      await this.#makeFolder(dirname(file));
      const aside = file + UNFINISHED;
      try {
        {
          await using handle = await open(aside, 'w', 0o600);
          writeAll(handle.fd, content);
          await handle.sync();
        }
        await rename(aside, file);
      } catch (error) {
        await rm(aside, { force: true });
        throw error;
      }
      this.#changed.add(dirname(file));
    });
  }

  async remove(path: string): Promise<void> {
    const file = join(this.#folder, path);
    await this.#doing(`removing ${file}`, () => rm(file, { force: true }));
    this.#changed.add(dirname(file));
  }

  async sync(): Promise<void> {
    await this.#doing(`writing ${this.#folder}`, async () => {
      for (const folder of this.#changed) await unlessMissing(syncFolder(folder));
      this.#changed.clear();
    });
  }

  /** The lock is the kernel's, as that of a storage folder: it ends with the process. */
  async claim(): Promise<Disposable> {
    const folder = join(this.#folder, LOCK_FOLDER);
    await this.#doing(`making ${folder}`, () => createFolderDurably(folder));
    try {
      return lockFolder(folder);
    } catch (error) {
      if (!(error instanceof Problem)) throw targetFailed(`locking ${folder}`, error);
      throw new Problem('backup_target_in_use', `another server writes backups to ${this.name}`);
    }
  }

  async #makeFolder(folder: string): Promise<void> {
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    const top = dirname(first);
    for (let path = folder; path !== top; path = dirname(path)) this.#changed.add(dirname(path));
  }

  async #doing<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw targetFailed(what, error);
    }
  }
}

/**
 * In the calling thread, which goes after those that serve, as those of Node's pool do not; and in
 * short calls, between which the system lets them go first.
 */
function writeAll(file: number, content: readonly Uint8Array[]): void {
  for (const part of content) {
    for (let at = 0; at < part.length;) {
      at += writeSync(file, part, at, Math.min(WRITE_BYTES_MAX, part.length - at));
    }
  }
}

/**
 * In one read: `readFile` takes a turn for each half of a megabyte, and whoever restores has long
 * turns.
 */
async function readWhole(path: string): Promise<Uint8Array<ArrayBuffer>> {
  await using file = await open(path);
  const { size } = await file.stat();
  const bytes = Buffer.allocUnsafeSlow(size);
  const { bytesRead } = await file.read(bytes, 0, size, 0);
  // Files of a pool never grow; one that is cut short meanwhile fails its digest.
  return bytes.subarray(0, bytesRead);
}
