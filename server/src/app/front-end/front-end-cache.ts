import { FRONT_END_FILES_PER_FETCH_MAX } from '#base/replication-limits.ts';
import { isPage } from '#http/front-end/front-end-answers.ts';
import { Problem } from '#base/problem.ts';
import type { FrontEndFile } from '#http/services.ts';
import type { DigestFolder } from './digest-folder.ts';
import { frontEndFile, type FrontEndFiles } from './front-end-files.ts';
import type { FrontEndManifest, FrontEndManifestFile } from './front-end-manifest.ts';

/** Gets files of the primary's front ends: by their digests, in that order. */
export type FetchFrontEndFiles = (digests: readonly string[]) => Promise<readonly Uint8Array[]>;

/** The files of front ends that a replica has, each fetched once. */
export class FrontEndCache {
  readonly #folder: DigestFolder;
  readonly #fetch: FetchFrontEndFiles;

  constructor(folder: DigestFolder, fetch: FetchFrontEndFiles) {
    this.#folder = folder;
    this.#fetch = fetch;
  }

  /**
   * All files of the manifest, each verified. Fetches those that are not here, and pages in any
   * case (specification, section 3.1). Throws what the fetching throws, and `replication_corrupt`
   * when other files come than were asked for.
   */
  async load(manifest: FrontEndManifest): Promise<FrontEndFiles> {
    const contents = new Map<string, FrontEndFile>();
    for (const { digest } of manifest.files.filter(({ path }) => !isPage(path))) {
      const bytes = await this.#folder.read(digest);
      if (bytes !== undefined) contents.set(digest, { digest, bytes });
    }
    const missing = new Set(digestsOf(manifest)).difference(contents);
    for await (const file of this.#fetchAll(manifest.files, missing)) {
      contents.set(file.digest, file);
    }
    return new Map(manifest.files.map(({ path, digest }) => [path, contents.get(digest)!]));
  }

  /** Has all files of the manifest as well, without holding them in memory. */
  async keep(manifest: FrontEndManifest): Promise<void> {
    const missing = new Set<string>();
    for (const digest of digestsOf(manifest)) {
      if ((await this.#folder.read(digest)) === undefined) missing.add(digest);
    }
    for await (const _ of this.#fetchAll(manifest.files, missing));
  }

  /** Forgets the files that are in none of these. */
  async keepOnly(manifests: readonly FrontEndManifest[]): Promise<void> {
    await this.#folder.keepOnly(new Set(manifests.flatMap(digestsOf)));
  }

  async *#fetchAll(
    files: readonly FrontEndManifestFile[],
    digests: ReadonlySet<string>,
  ): AsyncGenerator<FrontEndFile, void, undefined> {
    const wanted = [...digests];
    for (let at = 0; at < wanted.length; at += FRONT_END_FILES_PER_FETCH_MAX) {
      const batch = wanted.slice(at, at + FRONT_END_FILES_PER_FETCH_MAX);
      const fetched = await this.#fetch(batch);
      const verified = batch.map((digest, i) => {
        const file = frontEndFile(Buffer.from(fetched[i] ?? []));
        if (file.digest !== digest) throw otherFile(files, digest);
        return file;
      });
      await this.#folder.write(verified);
      yield* verified;
    }
  }
}

function digestsOf({ files }: FrontEndManifest): string[] {
  return files.map(({ digest }) => digest);
}

function otherFile(files: readonly FrontEndManifestFile[], digest: string): Problem {
  const path = files.find((file) => file.digest === digest)?.path;
  return new Problem('replication_corrupt', `${path} of the front end came with another content`);
}
