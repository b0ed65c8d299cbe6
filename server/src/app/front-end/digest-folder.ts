import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrontEndFile } from '#http/services.ts';
import { syncFolder, UNFINISHED, unlessMissing } from '#log/durable-file.ts';
import { storageProblem } from '#log/log-problem.ts';
import { frontEndFile } from './front-end-files.ts';

/** The folder's name in the storage folder. */
export const FRONT_END_FOLDER = 'front-end';

/** Files that are written to the disk at a time. */
const WRITES_MAX = 8;

/** Files named by their digest: none is there twice, and none ever changes. */
export class DigestFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined when it is not here, or not as it was written. */
  async read(digest: string): Promise<Buffer | undefined> {
    const bytes = await unlessMissing(readFile(join(this.#folder, digest)));
    return bytes !== undefined && frontEndFile(bytes).digest === digest ? bytes : undefined;
  }

  /**
   * Each file appears as a whole, and all of them are durable when this resolves. Throws
   * `storage_full`, `storage_failed`.
   */
  async write(files: Iterable<FrontEndFile>): Promise<void> {
    try {
      await this.#writeAll(files);
    } catch (error) {
      throw storageProblem('writing files of a front end', error);
    }
  }

  /** Forgets all others, and what was never finished. */
  async keepOnly(digests: ReadonlySet<string>): Promise<void> {
    for (const name of (await unlessMissing(readdir(this.#folder))) ?? []) {
      if (!digests.has(name)) await rm(join(this.#folder, name), { force: true });
    }
  }

  async #writeAll(files: Iterable<FrontEndFile>): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const waiting = new Map([...files].map((file) => [file.digest, file])).values();
    const work = async (): Promise<void> => {
      for (const file of waiting) await this.#writeOne(file);
    };
    const outcomes = await Promise.allSettled(Array.from({ length: WRITES_MAX }, work));
    // Nothing is being written any more when the first failure is thrown.
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    await syncFolder(this.#folder);
  }

  async #writeOne({ digest, bytes }: FrontEndFile): Promise<void> {
    if ((await this.read(digest)) !== undefined) return;
    const path = join(this.#folder, digest);
    {
      await using file = await open(path + UNFINISHED, 'w', 0o600);
      await file.writeFile(bytes);
      await file.sync();
    }
    await rename(path + UNFINISHED, path);
  }
}
