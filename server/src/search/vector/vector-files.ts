import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Problem } from '#base/problem.ts';
import { type VectorIndexOptions, VectorIndexWriter } from './index-writer.ts';
import { ShardWriter, type WriterTools } from './shard-writer.ts';
import { LIST_INTS, LIST_INTS_LOWEST, type Shard, UPPER_USED } from './shard.ts';
import { type FileHandle, open } from 'node:fs/promises';
import { SCRUB_BYTES_AT_A_TIME } from '#base/limits.ts';

/**
 * A snapshot of a vector index in its own folder: a file for each shard, and a manifest with their
 * CRC-32s. Files are written and synced before the manifest is replaced: the folder always holds
 * one whole snapshot, or none. Opening checks all bytes.
 *
 * The manifest is the CRC-32 of the rest in decimal, a line feed, and JSON. A file has what the
 * slots of a shard use of each section (`usedSections`), as in memory: little-endian.
 */
const MANIFEST = 'manifest.json';
const UNFINISHED = '.new';
const SHARD_FILE = /^shard-(\d+)-\d+$/;
const FORMAT = 1;
/** Read and summed at a time, so that the bytes are still in the cache. */
const PIECE_BYTES = 1024 * 1024;

interface ShardFile {
  readonly file: string;
  readonly crc: number;
  /** The numbers in the header of the shard. */
  readonly header: readonly number[];
}

interface VectorManifest {
  readonly format: number;
  readonly dimensions: number;
  readonly model: string;
  readonly capacity: number;
  readonly sequence: number;
  readonly shards: readonly ShardFile[];
}

/**
 * Writes a snapshot, in the writing thread, and removes the one before. `sequence`: of the last
 * commit in it.
 */
export function saveVectorIndex(folder: string, writer: VectorIndexWriter, sequence: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const old = readdirSync(folder).filter((name) => SHARD_FILE.test(name));
  // Above all existing numbers: the current manifest may name any of these files.
  const number = 1 + Math.max(0, ...old.map((name) => Number(SHARD_FILE.exec(name)?.[1])));
  const shards = writer.shards.map(({ shard }, i): ShardFile => {
    const file = `shard-${number}-${i}`;
    const crc = writeSynced(join(folder, file), usedSections(shard));
    return { file, crc, header: [...shard.header] };
  });
  const { dimensions, model, capacity } = writer.handle;
  const manifest: VectorManifest = {
    format: FORMAT,
    dimensions,
    model,
    capacity,
    sequence,
    shards,
  };
  const json = Buffer.from(JSON.stringify(manifest));
  const path = join(folder, MANIFEST);
  writeSynced(path + UNFINISHED, [Buffer.from(`${crc32(json)}\n`), json]);
  syncFolder(folder);
  renameSync(path + UNFINISHED, path);
  syncFolder(folder);
  for (const name of old) rmSync(join(folder, name), { force: true });
}

export interface LoadedVectorIndex {
  readonly writer: VectorIndexWriter;
  /** Sequence of the last commit in the index: a follower goes on from there. */
  readonly sequence: number;
}

/**
 * Opens the snapshot of a folder; undefined if there is none, or one of another model, number of
 * dimensions or format. Then, or if this throws, build the index again.
 *
 * @throws Problem `search_index_corrupt` for a damaged file.
 */
export function loadVectorIndex(
  folder: string,
  options: Omit<VectorIndexOptions, 'capacity'>,
): LoadedVectorIndex | undefined {
  const manifest = readVectorManifest(folder);
  if (manifest === undefined) return undefined;
  const { format, dimensions, model, capacity, sequence, shards } = manifest;
  const isSame = format === FORMAT && dimensions === options.dimensions && model === options.model;
  if (!isSame) return undefined;
  const load = (tools: WriterTools): ShardWriter[] =>
    shards.map((file) => readShard(folder, file, tools));
  return { writer: new VectorIndexWriter({ ...options, capacity }, load), sequence };
}

/** Undefined where there is none. Throws `search_index_corrupt`. */
function readVectorManifest(folder: string): VectorManifest | undefined {
  const path = join(folder, MANIFEST);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const content = readFileSync(path);
  const end = content.indexOf('\n');
  const json = content.subarray(end + 1);
  if (content.toString('latin1', 0, end) !== String(crc32(json))) {
    throw corrupt(folder, `the checksum of ${MANIFEST} does not match`);
  }
  return JSON.parse(json.toString()) as VectorManifest;
}

function readShard(
  folder: string,
  { file, crc, header }: ShardFile,
  tools: WriterTools,
): ShardWriter {
  const writer = new ShardWriter(tools);
  const { shard } = writer;
  shard.header.set(header);
  const sections = usedSections(shard);
  const path = join(folder, file);
  const bytes = sections.reduce((sum, section) => sum + section.length, 0);
  const found = statSync(path, { throwIfNoEntry: false })?.size;
  if (found !== bytes) throw corrupt(folder, `${file} has ${found ?? 'no'} bytes, not ${bytes}`);
  if (readInto(path, sections) !== crc) {
    throw corrupt(folder, `the checksum of ${file} does not match`);
  }
  const { count } = shard;
  for (let slot = 0; slot < count; slot++) writer.derive(slot);
  return writer;
}

/** Fills the sections one after the other. Returns the CRC-32. */
function readInto(path: string, sections: readonly Uint8Array[]): number {
  const handle = openSync(path, 'r');
  try {
    let sum = 0;
    for (const section of sections) {
      for (let from = 0; from < section.length; from += PIECE_BYTES) {
        const piece = section.subarray(from, from + PIECE_BYTES);
        let filled = 0;
        while (filled < piece.length) {
          const bytesRead = readSync(handle, piece, filled, piece.length - filled, null);
          // The checksum reveals what is missing.
          if (bytesRead === 0) return -1;
          filled += bytesRead;
        }
        sum = crc32(piece, sum);
      }
    }
    return sum;
  } finally {
    closeSync(handle);
  }
}

/** Returns the CRC-32 of what was written. */
function writeSynced(path: string, sections: readonly Uint8Array[]): number {
  const handle = openSync(path, 'w', 0o600);
  try {
    let sum = 0;
    for (const section of sections) {
      for (let from = 0; from < section.length; from += PIECE_BYTES) {
        const piece = section.subarray(from, from + PIECE_BYTES);
        let written = 0;
        while (written < piece.length) written += writeSync(handle, piece, written);
        sum = crc32(piece, sum);
      }
    }
    fsyncSync(handle);
    return sum;
  } finally {
    closeSync(handle);
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function corrupt(folder: string, what: string): Problem {
  return new Problem('search_index_corrupt', `the vector index in ${folder} is damaged: ${what}`, {
    hint: 'Build the index anew.',
  });
}

/**
 * The memory that the slots of a shard use, as its header says. Not the header itself, nor sketches
 * and the node table with its chains, which are made again from the rest.
 */
function usedSections(shard: Shard): Uint8Array[] {
  const { bytes, layout, count } = shard;
  const upperLists = Atomics.load(shard.header, UPPER_USED);
  const section = (at: number, length: number): Uint8Array =>
    new Uint8Array(bytes.buffer, at, length);
  return [
    section(layout.coarseAt, count * layout.stride),
    section(layout.fineAt, count * layout.stride),
    section(layout.nodesAt, count * 8),
    section(layout.scalesAt, count * 4),
    section(layout.chunksAt, count * 4),
    section(layout.listsAt, count * LIST_INTS_LOWEST * 4),
    section(layout.upperStartsAt, count * 4),
    section(layout.upperListsAt, upperLists * LIST_INTS * 4),
    section(layout.levelsAt, count),
    section(layout.deletedAt, count),
  ];
}

/**
 * Compares the files of each saved vector index below a folder with their CRC-32s; the index thread
 * may save meanwhile. Returns the number of files.
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
    // A newer file may have replaced it.
    const now = readVectorManifest(folder)?.shards.find((shard) => shard.file === file);
    if (now?.crc === crc) onDamage(`${file}: ${found === undefined ? 'missing' : 'damaged'}`);
  }
  return files;
}

/** Undefined if the file is gone. */
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
