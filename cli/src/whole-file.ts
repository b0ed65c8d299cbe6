import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { CommandFailure } from './failure.ts';
import { harmless } from './terminal.ts';

/** Writes beside the file, so that a file of that name is always whole. */
export async function writeWhole(
  path: string,
  parts: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const unfinished = `${path}.part`;
  try {
    await pipeline(parts, createWriteStream(unfinished), { signal });
    refuseExisting(path);
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** To be asked before anything is fetched, too. */
export function refuseExisting(path: string): void {
  if (!existsSync(path)) return;
  throw new CommandFailure(`There is a file ${harmless(path)} already.`, {
    code: 'file_exists',
    hint: 'Name another one with --out.',
  });
}
