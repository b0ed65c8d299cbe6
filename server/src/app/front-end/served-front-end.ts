import type { FrontEndFile, FrontEndService } from '#http/front-end-service.ts';
import type { FrontEndFiles } from './front-end-folder.ts';

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
