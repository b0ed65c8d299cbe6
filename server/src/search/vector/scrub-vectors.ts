import { readdirSync, statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Problem } from '#base/problem.ts';
import { SCRUB_BYTES_AT_A_TIME } from '#base/limits.ts';
import { readVectorManifest } from './vector-files.ts';

/**
 * Compares the files of each saved vector index below a folder with their CRC-32s, beside the thread that may save one meanwhile.
 * Resolves with the number of files.
 */
export async function scrubVectors(
  root: string,
  rest: () => Promise<void>,
  onDamage: (place: string) => void,
): Promise<number> {
  if (statSync(root, { throwIfNoEntry: false }) === undefined) return 0;
  let files = 0;
  const entries = readdirSync(root, { withFileTypes: true });
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    try {
      files += await scrubOne(join(root, name), rest, onDamage);
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'search_index_corrupt')) throw error;
      onDamage(error.message);
    }
  }
  return files;
}

async function scrubOne(
  folder: string,
  rest: () => Promise<void>,
  onDamage: (place: string) => void,
): Promise<number> {
  const manifest = readVectorManifest(folder);
  let files = 0;
  for (const { file, crc } of manifest?.shards ?? []) {
    const found = await sumOf(join(folder, file), rest);
    files++;
    if (found === crc) continue;
    // A newer one may have taken its place.
    const now = readVectorManifest(folder)?.shards.find((shard) => shard.file === file);
    if (now?.crc === crc) onDamage(`${file}: ${found === undefined ? 'missing' : 'damaged'}`);
  }
  return files;
}

/** Undefined of a file that is not there. */
async function sumOf(path: string, rest: () => Promise<void>): Promise<number | undefined> {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  await using file: FileHandle = await open(path);
  const chunk = new Uint8Array(SCRUB_BYTES_AT_A_TIME);
  let sum = 0;
  for (;;) {
    const { bytesRead } = await file.read(chunk);
    if (bytesRead === 0) return sum;
    sum = crc32(chunk.subarray(0, bytesRead), sum);
    await rest();
  }
}
