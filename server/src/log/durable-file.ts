import { mkdir, open, rename } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from './log-problem.ts';
import type { FileHandle } from 'node:fs/promises';

/**
 * The name of a file that is still being made ends with this. A file with this ending that is found
 * at a start was never in use.
 */
export const UNFINISHED = '.new';

/**
 * Makes the names in a folder durable: files stay created, renamed or deleted, also after a power
 * failure.
 */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r');
  await handle.sync();
}

/**
 * Makes a folder that only the server's user can read, and the folders above it that are missing,
 * durably.
 */
export async function createFolderDurably(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const top = dirname(resolve(first));
  for (let path = resolve(folder); path !== top; path = dirname(path)) {
    await syncFolder(dirname(path));
  }
}

/** Makes a file appear with all its content or not at all, durably. An existing one is replaced. */
export async function createFileDurably(
  folder: string,
  name: string,
  content: Uint8Array,
): Promise<void> {
  const path = join(folder, name);
  {
    await using file = await open(path + UNFINISHED, 'w', 0o600);
    await writeAll(file, [content], 0);
    await file.sync();
  }
  await rename(path + UNFINISHED, path);
  await syncFolder(folder);
}

/**
 * Writes the chunks one after the other from `position` on. It is one system call, unless the
 * system writes less than all in it.
 */
export async function writeAll(
  file: FileHandle,
  chunks: readonly Uint8Array[],
  position: number,
): Promise<void> {
  let rest = chunks;
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest, at);
    at += bytesWritten;
    rest = after(rest, bytesWritten);
  }
}

/** Up to `length` bytes at `position`; fewer only at the end of the file. */
export async function readFully(
  file: FileHandle,
  position: number,
  length: number,
): Promise<Buffer<ArrayBuffer>> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** The result, or undefined when the file is not there. */
export async function unlessMissing<T>(doing: Promise<T>): Promise<T | undefined> {
  try {
    return await doing;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function after(chunks: readonly Uint8Array[], written: number): readonly Uint8Array[] {
  let left = written;
  for (const [i, chunk] of chunks.entries()) {
    if (left < chunk.length) return [chunk.subarray(left), ...chunks.slice(i + 1)];
    left -= chunk.length;
  }
  return [];
}
