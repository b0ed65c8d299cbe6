import type { FrontEndFile, FrontEndService } from '#http/services.ts';
import type { FrontEndFiles } from './front-end-folder.ts';

/** Where the built-in front end always is, so that an administrator can get back to it. */
const BUILT_IN_PATH = '/trellis';

/** What HTTP serves of the front end, which changes as a whole. */
export class ServedFrontEnd implements FrontEndService {
  readonly replicaUrls: () => string;
  #files: FrontEndFiles;

  constructor(files: FrontEndFiles, replicaUrls: () => string) {
    this.#files = files;
    this.replicaUrls = replicaUrls;
  }

  file(path: string): FrontEndFile | undefined {
    return this.#files.get(path);
  }

  replaceBy(files: FrontEndFiles): void {
    this.#files = files;
  }
}

/**
 * The chosen interface, or without one the built-in front end; and that once more below a path of
 * its own.
 */
export function servedFiles(
  builtIn: FrontEndFiles,
  chosen: FrontEndFiles | undefined,
): FrontEndFiles {
  const below = [...builtIn].map(([path, file]) => [BUILT_IN_PATH + path, file] as const);
  return new Map([...(chosen ?? builtIn), ...below]);
}
