import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { Problem } from '#base/problem.ts';
import type { FrontEndFile, FrontEndService } from '#http/services.ts';
import type { Logger } from '#observe/logger.ts';
import { FRONT_END_BYTES_MAX, FRONT_END_FILES_MAX } from '@trellis/contract/limits.ts';

/** Files by path, such as `/index.html`, percent-encoded as in a URL. */
export type FrontEndFiles = ReadonlyMap<string, FrontEndFile>;

/** The one that comes with the server, once it is built (tools/built-outputs.mjs). */
const BUILT_IN_FOLDER = join(import.meta.dirname, '../../../../web/dist');
/** The documents, which come with it (tools/docs.ts). */
const DOCUMENTS_FOLDER = join(import.meta.dirname, '../../../../docs/dist');
const DOCUMENTS_PATH = '/docs';

export interface FrontEndSource {
  /** `TRELLIS_FRONT_END`: a folder to be served instead of the one that comes with the server. */
  readonly configured: string | null;
  readonly startFolder: string;
  /** Where the build puts it, unless a test has another place. */
  readonly builtInFolder?: string;
  readonly documentsFolder?: string;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * The front end of the server; the built-in one has the documentation below `/docs`. What was not
 * built is not there: everything else is served, and the log says what to do. Throws
 * `front_end_unreadable`.
 */
export async function readFrontEnd(options: FrontEndSource): Promise<FrontEndFiles> {
  const { configured, startFolder } = options;
  if (configured !== null) return readFrontEndFolder(resolve(startFolder, configured));
  const { builtInFolder = BUILT_IN_FOLDER, documentsFolder = DOCUMENTS_FOLDER } = options;
  const frontEnd = await readBuilt('front end', builtInFolder, options);
  const documents = await readBuilt('documentation', documentsFolder, options);
  return new Map([...frontEnd, ...below(DOCUMENTS_PATH, documents)]);
}

async function readBuilt(
  what: string,
  folder: string,
  { logger }: FrontEndSource,
): Promise<FrontEndFiles> {
  if (existsSync(folder)) return readFrontEndFolder(folder);
  logger.warn(
    `there is no ${what} to serve: ${folder} is missing; run "npm run build" and start again`,
  );
  return new Map();
}

function below(path: string, files: FrontEndFiles): FrontEndFiles {
  return new Map([...files].map(([name, file]) => [path + name, file]));
}

/**
 * Reads every file of the folder into memory, so that nothing outside it can ever be asked for:
 * neither files and folders whose name begins with a dot, nor links. Throws `front_end_unreadable`
 * when it cannot be read or is too large.
 */
export async function readFrontEndFolder(folder: string): Promise<FrontEndFiles> {
  const files = new Map<string, FrontEndFile>();
  let bytesTotal = 0;
  for (const path of await filesOf(folder)) {
    const bytes = await readFile(join(folder, path)).catch((cause) => {
      throw unreadable(`${join(folder, path)} cannot be read`, cause);
    });
    bytesTotal += bytes.length;
    if (files.size === FRONT_END_FILES_MAX || bytesTotal > FRONT_END_BYTES_MAX) {
      const most = `${FRONT_END_FILES_MAX} files and ${FRONT_END_BYTES_MAX} bytes`;
      throw unreadable(`${folder} holds more than ${most}`);
    }
    files.set(urlPathOf(path.replaceAll(sep, '/')), frontEndFile(bytes));
  }
  return files;
}

export function frontEndFile(bytes: Buffer): FrontEndFile {
  return { bytes, digest: createHash('sha256').update(bytes).digest('hex') };
}

/** Relative to the folder, in an order that does not depend on the file system. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch((cause) => {
    throw unreadable(`${folder} cannot be read`, cause);
  });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .filter((path) => !path.split(sep).some((part) => part.startsWith('.')))
    .toSorted();
}

/** The path in a URL of a file whose path has slashes. */
export function urlPathOf(path: string): string {
  return `/${path.split('/').map(encodeURIComponent).join('/')}`;
}

function unreadable(message: string, cause?: unknown): Problem {
  return new Problem('front_end_unreadable', message, {
    hint: 'Set TRELLIS_FRONT_END to a folder that this user may read, or to nothing for the built-in one.',
    cause,
  });
}

/** Where the built-in front end always is, so that an administrator can get back to it. */
const BUILT_IN_PATH = '/trellis';

/** The front end that HTTP serves; it changes as a whole. */
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
  return new Map([...(chosen ?? builtIn), ...below(BUILT_IN_PATH, builtIn)]);
}
