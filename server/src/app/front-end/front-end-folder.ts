import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { FRONT_END_BYTES_MAX, FRONT_END_FILES_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { FrontEndFile } from '#http/front-end-service.ts';

/** By path, such as `/index.html`, percent-encoded as a URL has it. */
export type FrontEndFiles = ReadonlyMap<string, FrontEndFile>;

/** The one that comes with the server. */
const BUILT_IN_FOLDER = join(import.meta.dirname, '../../../../web');

/** The absolute path of the folder that is served. `configured` is `TRELLIS_FRONT_END`. */
export function frontEndFolderOf(configured: string | null, startFolder: string): string {
  return resolve(startFolder, configured ?? BUILT_IN_FOLDER);
}

/**
 * Reads every file of the folder into memory, so that nothing outside it can ever be asked for: neither files and folders whose
 * name begins with a dot, nor links. Throws `front_end_unreadable` when it cannot be read or is too large.
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
    files.set(urlPathOf(path), frontEndFile(bytes));
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

function urlPathOf(path: string): string {
  return `/${path.split(sep).map(encodeURIComponent).join('/')}`;
}

function unreadable(message: string, cause?: unknown): Problem {
  return new Problem('front_end_unreadable', message, {
    hint: 'Set TRELLIS_FRONT_END to a folder that this user may read, or to nothing for the built-in one.',
    cause,
  });
}
