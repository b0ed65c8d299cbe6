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
import { LIST_INTS, LIST_INTS_LOWEST, UPPER_USED } from './shard-layout.ts';
import type { Shard } from './shard.ts';

/**
 * A snapshot of a vector index in a folder of its own: one file for each shard, and a manifest that names them with
 * their CRC-32s. The files are written and synced first, then the manifest takes the place of the old one: at any
 * moment the folder holds one whole snapshot, or none. All bytes are checked when it is opened.
 *
 * The manifest is the CRC-32 of the rest in decimal, a line feed, and JSON. A file is what the slots of a shard use
 * of each section (`usedSections`), as it is in memory: little-endian.
 */
const MANIFEST = 'manifest.json';
const UNFINISHED = '.new';
const SHARD_FILE = /^shard-(\d+)-\d+$/;
const FORMAT = 1;
/** Read and summed at a time, so that the sum finds the bytes in the cache. */
const PIECE_BYTES = 1024 * 1024;

interface ShardFile {
  readonly file: string;
  readonly crc: number;
  /** The numbers in the header of the shard. */
  readonly header: readonly number[];
}

interface Manifest {
  readonly format: number;
  readonly dimensions: number;
  readonly model: string;
  readonly capacity: number;
  readonly sequence: number;
  readonly shards: readonly ShardFile[];
}

/**
 * Writes a snapshot, in the thread that writes the index, and removes the one before. `sequence`: of the last commit
 * in it.
 */
export function saveVectorIndex(folder: string, writer: VectorIndexWriter, sequence: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const old = readdirSync(folder).filter((name) => SHARD_FILE.test(name));
  // Above all there are, since the manifest in place may name any of them.
  const number = 1 + Math.max(0, ...old.map((name) => Number(SHARD_FILE.exec(name)?.[1])));
  const shards = writer.shards.map(({ shard }, i): ShardFile => {
    const file = `shard-${number}-${i}`;
    const crc = writeSynced(join(folder, file), usedSections(shard));
    return { file, crc, header: [...shard.header] };
  });
  const { dimensions, model, capacity } = writer.handle;
  const manifest: Manifest = { format: FORMAT, dimensions, model, capacity, sequence, shards };
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
 * Opens the snapshot of a folder. Undefined when there is none, or one of another model, number of dimensions or
 * format: then the index is to be built anew, as it is when this throws.
 *
 * @throws Problem `search_index_corrupt` when a byte is missing or another.
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
export function readVectorManifest(folder: string): Manifest | undefined {
  const path = join(folder, MANIFEST);
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
  const content = readFileSync(path);
  const end = content.indexOf('\n');
  const json = content.subarray(end + 1);
  if (content.toString('latin1', 0, end) !== String(crc32(json))) {
    throw corrupt(folder, `the checksum of ${MANIFEST} does not match`);
  }
  return JSON.parse(json.toString()) as Manifest;
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

/** Fills the sections one after the other; the CRC-32 of what was read. */
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
          // What is missing shows in the sum.
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

/** The CRC-32 of what was written. */
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
 * What the slots of a shard use of its memory, as its header says; not the header itself, nor the sketches and the table
 * of nodes with its chains, which are made again from the rest.
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
