import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { ConnectorError } from '../connector-error.ts';

/** The file, or the folder with all that is below it, that a connector may read. */
export interface DiskPlace {
  /** Without a link anywhere in it. */
  readonly path: string;
  /** Of all files that one run reads. */
  readonly bytesMax: number;
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/**
 * Opens what is at a path, and never what a link on the way there leads to, whoever changes folders
 * meanwhile: the kernel says what it has opened. Rejects with the error of the file system, or with
 * a `ConnectorError`.
 */
export async function openOnDisk(path: string, kind: 'file' | 'folder'): Promise<FileHandle> {
  // What blocks, such as a pipe, is opened without waiting, and refused.
  const flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | (kind === 'folder' ? O_DIRECTORY : 0);
  const handle = await open(path, flags);
  try {
    const opened = IS_LINUX ? await readlink(kernelPath(handle)) : await realpath(path);
    if (opened !== path) throw new ConnectorError('source_failed', `${path} leads elsewhere`);
    if (kind === 'file' && !(await handle.stat()).isFile()) {
      throw new ConnectorError('source_failed', `${path} is no file`);
    }
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Where the opened folder is listed: what is at its path may be another one by now. */
export function listedAt(handle: FileHandle, path: string): string {
  return IS_LINUX ? kernelPath(handle) : path;
}

const IS_LINUX = process.platform === 'linux';

function kernelPath({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

/** The content of one file, which may be no larger than a run may read. */
export async function streamOfDisk({ path, bytesMax }: DiskPlace): Promise<Readable> {
  const handle = await openOnDisk(path, 'file').catch((error: unknown) => {
    throw unreadable(path, error);
  });
  const { size } = await handle.stat();
  if (size <= bytesMax) return handle.createReadStream({ end: Math.max(0, size - 1) });
  await handle.close();
  throw new ConnectorError('source_failed', `${path} has more than ${bytesMax} bytes`);
}

/** What is told when the source itself cannot be read: all that is known is in the message. */
export function unreadable(path: string, error: unknown): ConnectorError {
  const message = error instanceof Error ? error.message : String(error);
  const why = whyNotRead(error) ?? `cannot be read: ${message}`;
  return new ConnectorError('source_failed', `${path} ${why}`);
}

/** Why something cannot be read that others may take away at any time; undefined of a failure. */
export function whyNotRead(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? REASONS[String(error.code)] : undefined;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is no folder',
  ELOOP: 'is a link, which is not followed',
  EACCES: 'may not be read by the server',
  EPERM: 'may not be read by the server',
  source_failed: 'is no file, or has a link on the way to it, which is not followed',
};
