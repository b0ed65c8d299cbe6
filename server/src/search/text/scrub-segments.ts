import { readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { SCRUB_BYTES_AT_A_TIME } from '#base/limits.ts';
import { MANIFEST, UNFINISHED } from './segment-files.ts';
import { Checksum, DamagedIndexError, SEAL_BYTES, unsealed } from './segment-codec.ts';

/**
 * Compares each file of a saved index with its checksum, beside the thread that may save it meanwhile: what is gone when it is looked
 * for has been replaced. Resolves with the number of files.
 */
export async function scrubSegments(
  folder: string,
  rest: () => Promise<void>,
  onDamage: (place: string) => void,
): Promise<number> {
  let files = 0;
  for (const name of namesIn(folder)) {
    if (name.endsWith(UNFINISHED)) continue;
    const damage = await damageOf(folder, name, rest);
    files++;
    if (damage !== undefined) onDamage(damage);
    await rest();
  }
  return files;
}

async function damageOf(
  folder: string,
  name: string,
  rest: () => Promise<void>,
): Promise<string | undefined> {
  try {
    if (name === MANIFEST) unsealed(readFileSync(join(folder, name)), name);
    else await readSealed(join(folder, name), name, rest);
    return undefined;
  } catch (error) {
    if (error instanceof DamagedIndexError) return error.message;
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function readSealed(path: string, name: string, rest: () => Promise<void>): Promise<void> {
  await using file: FileHandle = await open(path);
  const end = (await file.stat()).size - SEAL_BYTES;
  if (end < 0) throw new DamagedIndexError(`${name} is too short`);
  const checksum = new Checksum();
  const chunk = new Uint8Array(SCRUB_BYTES_AT_A_TIME);
  for (let at = 0; at < end; at += chunk.length) {
    const length = Math.min(chunk.length, end - at);
    checksum.add(chunk.subarray(0, (await file.read(chunk, 0, length, at)).bytesRead));
    await rest();
  }
  const seal = new Uint8Array(SEAL_BYTES);
  await file.read(seal, 0, SEAL_BYTES, end);
  checksum.verify(seal, name);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
