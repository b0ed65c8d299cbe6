import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { CommandFailure } from './failure.ts';

/** The same files are the same zip, whenever they were written. */
const NO_TIME = new Date('2000-01-01T00:00:00Z');

/**
 * A zip as it is, or one of what is in the folder: without links, and files and folders whose names
 * begin with a dot.
 */
export async function readInterface(path: string): Promise<Uint8Array<ArrayBuffer>> {
  if (!statSync(path).isDirectory()) return Uint8Array.from(readFileSync(path));
  const names = filesOf(path);
  if (!names.includes('index.html')) {
    throw new CommandFailure(`${path} has no index.html`, {
      hint: 'Name the folder that the build of the interface writes, such as dist.',
    });
  }
  const zip = new ZipFile();
  for (const name of names) zip.addBuffer(readFileSync(join(path, name)), name, { mtime: NO_TIME });
  zip.end();
  return Uint8Array.from(await buffer(zip.outputStream));
}

/** With slashes, in an order that does not depend on the file system. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .filter((path) => !path.split('/').some((part) => part.startsWith('.')))
    .toSorted();
}
