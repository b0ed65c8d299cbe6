import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isPage } from '#http/front-end/content-types.ts';
import { Problem } from '#base/problem.ts';
import { frontEndFile, type FrontEndFiles } from './front-end-folder.ts';
import type { FrontEndManifest, FrontEndManifestFile } from './front-end-manifest.ts';

/** Gets files of the primary's front end: by their digests, in that order. */
export type FetchFrontEndFiles = (digests: readonly string[]) => Promise<readonly Uint8Array[]>;

const UNFINISHED = '.new';

/**
 * The files of a front end that a replica has, in a folder of its own and named by their digest: so none is fetched twice, and a
 * new front end takes the place of the old one all at once.
 */
export class FrontEndCache {
  readonly #folder: string;
  readonly #fetch: FetchFrontEndFiles;

  constructor(folder: string, fetch: FetchFrontEndFiles) {
    this.#folder = folder;
    this.#fetch = fetch;
  }

  /**
   * All files of the manifest, each verified. Fetches those that are not here, and pages in any case (specification, section
   * 3.1). Throws what the fetching throws, and `replication_corrupt` when other files come than were asked for.
   */
  async load(manifest: FrontEndManifest): Promise<FrontEndFiles> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const contents = new Map<string, Buffer>();
    for (const file of manifest.files.filter(({ path }) => !isPage(path))) {
      const bytes = await this.#read(file.digest);
      if (bytes !== undefined) contents.set(file.digest, bytes);
    }
    await this.#fetchMissing(manifest, contents);
    return new Map(
      manifest.files.map(({ path, digest }) => [path, { digest, bytes: contents.get(digest)! }]),
    );
  }

  /** Forgets the files that only a former front end had. */
  async keepOnly({ files }: FrontEndManifest): Promise<void> {
    const kept = new Set(files.map(({ digest }) => digest));
    for (const name of await readdir(this.#folder)) {
      if (!kept.has(name)) await rm(join(this.#folder, name), { force: true });
    }
  }

  async #fetchMissing({ files }: FrontEndManifest, contents: Map<string, Buffer>): Promise<void> {
    const missing = new Set(files.map(({ digest }) => digest)).difference(contents);
    if (missing.size === 0) return;
    const digests = [...missing];
    const fetched = await this.#fetch(digests);
    for (const [i, digest] of digests.entries()) {
      const file = frontEndFile(Buffer.from(fetched[i] ?? []));
      if (file.digest !== digest) throw otherFile(files, digest);
      const path = join(this.#folder, digest);
      await writeFile(path + UNFINISHED, file.bytes, { mode: 0o600 });
      await rename(path + UNFINISHED, path);
      contents.set(digest, file.bytes);
    }
  }

  /** Undefined when it is not here, or not as it was written. */
  async #read(digest: string): Promise<Buffer | undefined> {
    const bytes = await readFile(join(this.#folder, digest)).catch((error) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return bytes !== undefined && frontEndFile(bytes).digest === digest ? bytes : undefined;
  }
}

function otherFile(files: readonly FrontEndManifestFile[], digest: string): Problem {
  const path = files.find((file) => file.digest === digest)?.path;
  return new Problem('replication_corrupt', `${path} of the front end came with another content`);
}
