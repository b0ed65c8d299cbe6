import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { assert } from '#base/assert.ts';
import type { IndexView } from './index-view.ts';
import { type IndexManifest, decodeManifest, encodeManifest } from './index-manifest.ts';
import {
  Checksum,
  DamagedIndexError,
  SEAL_BYTES,
  residentBytes,
  sealOf,
  unsealed,
} from './segment-codec.ts';
import type { ReadBytes } from './segment-bytes.ts';
import type { StoredPart } from './text-index.ts';

const MANIFEST = 'manifest.json';
const UNFINISHED = '.new';
const CHUNK_BYTES = 2 ** 20;

export interface StoredIndex {
  readonly manifest: IndexManifest;
  readonly parts: readonly StoredPart[];
}

/**
 * The files of an index, in a folder of its own. A segment file is written once; a save writes those that are new,
 * then the manifest, which replaces the one before in one step. Whatever moment the process ends at, the manifest
 * names files that are whole. What it does not name is removed. For one thread and one process; it waits for the disk.
 */
export class SegmentFiles {
  readonly #folder: string;
  readonly #open = new Map<number, number>();
  #saved: IndexManifest | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Keeps a view, which holds all up to a commit's `sequence`. `settings` is a digest of all that decides on what the
   * index of a commit contains: an index with another one is of no use.
   */
  save(view: IndexView, sequence: number, settings: string): void {
    const known = new Set(this.#saved?.segments.map(({ id }) => id));
    const segments = view.parts.map(({ id, memory, tombstones, segment }) => {
      if (!known.has(id)) this.#write(segmentName(id), new Uint8Array(memory));
      const { deleted, deletedCount } = tombstones;
      const name = deletedName(id, deletedCount);
      if (!this.#isSaved(id, deletedCount)) {
        this.#write(name, new Uint8Array(deleted.buffer, deleted.byteOffset, deleted.byteLength));
      }
      return { id, documentCount: segment.documents.count, deletedCount };
    });
    const manifest = { sequence, settings, segments };
    this.#syncFolder();
    this.#write(MANIFEST, encodeManifest(manifest));
    this.#syncFolder();
    this.#saved = manifest;
    this.#removeOthers(manifest);
  }

  /**
   * What was saved last; undefined where nothing was. Throws a `DamagedIndexError` where a file is not as it was
   * written. Beyond `memoryBytesMax` in all, the postings of further segments stay in their files, the greatest first.
   */
  load(memoryBytesMax = Infinity): StoredIndex | undefined {
    const bytes = this.#readOrNothing(MANIFEST);
    if (bytes === undefined) return undefined;
    const manifest = decodeManifest(unsealed(bytes, MANIFEST));
    const inMemory = this.#fitting(manifest, memoryBytesMax);
    const parts = manifest.segments.map(({ id, documentCount, deletedCount }): StoredPart => {
      const deleted = this.#readDeleted(id, deletedCount, documentCount);
      if (!inMemory.has(id)) return { id, ...this.openInFile(id), deleted };
      return { id, memory: this.#readSegment(id), deleted };
    });
    this.#saved = manifest;
    this.#removeOthers(manifest);
    return { manifest, parts };
  }

  /** Reads of a segment's file, for a reader in this or another thread. */
  reader(id: number): ReadBytes {
    let file = this.#open.get(id);
    if (file === undefined) {
      file = openSync(join(this.#folder, segmentName(id)), 'r');
      this.#open.set(id, file);
    }
    return readerOf(file);
  }

  /** Removes all, so that the index is built anew. */
  clear(): void {
    this.#saved = undefined;
    rmSync(join(this.#folder, MANIFEST), { force: true });
    this.#removeOthers({ sequence: 0, settings: '', segments: [] });
  }

  [Symbol.dispose](): void {
    for (const file of this.#open.values()) closeSync(file);
    this.#open.clear();
  }

  #isSaved(id: number, deletedCount: number): boolean {
    const saved = this.#saved?.segments.find((segment) => segment.id === id);
    return saved?.deletedCount === deletedCount;
  }

  #write(name: string, content: Uint8Array): void {
    const path = join(this.#folder, name);
    const file = openSync(path + UNFINISHED, 'w', 0o600);
    try {
      writeAll(file, content);
      writeAll(file, sealOf(content));
      fsyncSync(file);
    } catch (error) {
      // Half a file would take room for nothing.
      rmSync(path + UNFINISHED, { force: true });
      throw error;
    } finally {
      closeSync(file);
    }
    renameSync(path + UNFINISHED, path);
  }

  #syncFolder(): void {
    const folder = openSync(this.#folder, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  }

  #readOrNothing(name: string): Uint8Array | undefined {
    try {
      return readFileSync(join(this.#folder, name));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  #readDeleted(id: number, deletedCount: number, documentCount: number): Uint32Array {
    const name = deletedName(id, deletedCount);
    const content = unsealed(this.#readNamed(name), name);
    const deleted = new Uint32Array(new Uint8Array(content).buffer);
    if (deleted.length !== deletedCount || deleted.some((document) => document >= documentCount)) {
      throw new DamagedIndexError(`${name} does not belong to its segment`);
    }
    return deleted;
  }

  #readNamed(name: string): Uint8Array {
    const bytes = this.#readOrNothing(name);
    if (bytes === undefined) throw new DamagedIndexError(`${name} is missing`);
    return bytes;
  }

  #readSegment(id: number): SharedArrayBuffer {
    const length = this.#verify(id);
    const memory = new SharedArrayBuffer(length);
    readInto(this.reader(id), new Uint8Array(memory));
    this.#close(id);
    return memory;
  }

  /** A saved segment whose postings stay in its file: for `TextIndex.moveToFile`, where memory is to be freed. */
  openInFile(id: number): { readonly memory: SharedArrayBuffer; readonly read: ReadBytes } {
    const length = this.#verify(id);
    const read = this.reader(id);
    const memory = new SharedArrayBuffer(residentBytes(read, length, segmentName(id)));
    readInto(read, new Uint8Array(memory));
    return { memory, read };
  }

  /** Reads a file once from end to end, and returns the length of its content. */
  #verify(id: number): number {
    const name = segmentName(id);
    const length = this.#sizeOf(name) - SEAL_BYTES;
    if (length < 0) throw new DamagedIndexError(`${name} is too short`);
    const read = this.reader(id);
    const checksum = new Checksum();
    for (let at = 0; at < length; at += CHUNK_BYTES) {
      checksum.add(read(at, Math.min(CHUNK_BYTES, length - at)));
    }
    checksum.verify(read(length, SEAL_BYTES), name);
    residentBytes(read, length, name);
    return length;
  }

  #sizeOf(name: string): number {
    const size = statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size;
    if (size === undefined) throw new DamagedIndexError(`${name} is missing`);
    return size;
  }

  /**
   * The segments that fit into memory, the smallest first: those that a search goes through the most often for its
   * size.
   */
  #fitting({ segments }: IndexManifest, bytesMax: number): Set<number> {
    const sized = segments.map(({ id }) => ({ id, bytes: this.#sizeOf(segmentName(id)) }));
    let sum = 0;
    const fitting = sized
      .toSorted((a, b) => a.bytes - b.bytes)
      .filter(({ bytes }) => (sum += bytes) <= bytesMax);
    return new Set(fitting.map(({ id }) => id));
  }

  #close(id: number): void {
    const file = this.#open.get(id);
    if (file === undefined) return;
    closeSync(file);
    this.#open.delete(id);
  }

  #removeOthers({ segments }: IndexManifest): void {
    const kept = new Set([MANIFEST]);
    for (const { id, deletedCount } of segments) {
      kept.add(segmentName(id)).add(deletedName(id, deletedCount));
    }
    for (const name of readdirSync(this.#folder)) {
      if (!kept.has(name)) rmSync(join(this.#folder, name), { recursive: true, force: true });
    }
  }
}

function segmentName(id: number): string {
  return `segment-${id}`;
}

function deletedName(id: number, deletedCount: number): string {
  return `deleted-${id}-${deletedCount}`;
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at, bytes.length - at);
}

function readInto(read: ReadBytes, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    bytes.set(read(at, Math.min(CHUNK_BYTES, bytes.length - at)), at);
  }
}

/** Reads into one buffer again and again. */
function readerOf(file: number): ReadBytes {
  let buffer = new Uint8Array(4_096);
  return (offset, length) => {
    if (buffer.length < length) buffer = new Uint8Array(Math.max(length, buffer.length * 2));
    let filled = 0;
    while (filled < length) {
      const count = readSync(file, buffer, filled, length - filled, offset + filled);
      assert(count > 0, 'a segment file does not shrink while it is open');
      filled += count;
    }
    return buffer.subarray(0, length);
  };
}
