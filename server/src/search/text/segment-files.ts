import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { assert } from '#base/assert.ts';
import type { IndexView } from './index-view.ts';
import {
  Checksum,
  columnName,
  DamagedIndexError,
  decodeIndexManifest,
  deletedName,
  encodeIndexManifest,
  type IndexManifest,
  residentBytes,
  SEAL_BYTES,
  segmentName,
  unsealed,
} from './segment-codec.ts';
import { chooseForFile, type StoredPart } from './text-index.ts';
import { SCRUB_BYTES_AT_A_TIME } from '#base/limits.ts';

const MANIFEST = 'manifest.json';
const UNFINISHED = '.new';
const CHUNK_BYTES = 2 ** 20;

export interface LoadedIndex {
  readonly manifest: IndexManifest;
  readonly parts: readonly StoredPart[];
  readonly column: Uint8Array | undefined;
}

/**
 * The files of an index, in a folder of its own. A segment file is written once. A save writes new
 * segments, then replaces the manifest in one step: at any moment the manifest names whole files.
 * Other files are removed. For one thread of one process, which does not wait for the disk.
 */
export class SegmentFiles {
  readonly #folder: string;
  #saved: IndexManifest | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /**
   * Saves a view that has all up to the commit `sequence`. `settings` is a digest of what decides
   * on the content of the index: an index with another digest is discarded. `column` is kept with
   * it. One save at a time.
   */
  async save(
    view: IndexView,
    sequence: number,
    settings: string,
    column?: Uint8Array,
  ): Promise<void> {
    const known = new Set(this.#saved?.segments.map(({ id }) => id));
    for (const { id, memory, isInFile, tombstones } of view.parts) {
      if (!isInFile && !known.has(id)) await this.#write(segmentName(id), new Uint8Array(memory));
      const { deleted, deletedCount } = tombstones;
      if (this.#isSaved(id, deletedCount)) continue;
      const bytes = new Uint8Array(deleted.buffer, deleted.byteOffset, deleted.byteLength);
      await this.#write(deletedName(id, deletedCount), bytes);
    }
    const segments = view.parts.map(({ id, tombstones: { deletedCount }, segment }) => {
      return { id, documentCount: segment.documents.count, deletedCount };
    });
    if (column !== undefined) await this.#write(columnName(sequence), column);
    const hasColumn = column !== undefined;
    const manifest = { sequence, settings, segments, hasColumn };
    await this.#syncFolder();
    await this.#write(MANIFEST, encodeIndexManifest(manifest));
    await this.#syncFolder();
    this.#saved = manifest;
    this.#removeOthers(manifest);
  }

  /**
   * Loads the last save; undefined if there is none. Throws a `DamagedIndexError` if a file is
   * damaged. Above `memoryBytesMax`, postings stay in their files: see `chooseForFile`.
   */
  load(memoryBytesMax = Infinity): LoadedIndex | undefined {
    const bytes = this.#readOrNothing(MANIFEST);
    if (bytes === undefined) return undefined;
    const manifest = decodeIndexManifest(unsealed(bytes, MANIFEST));
    const sizes = manifest.segments.map(({ id }) => this.#verified(id));
    const inFile = chooseForFile(sizes, memoryBytesMax);
    const parts = manifest.segments.map(({ id, documentCount, deletedCount }, index) => {
      const size = sizes[index]!;
      const isInFile = inFile.has(index);
      return {
        id,
        memory: this.#readSegment(id, isInFile ? size.residentBytes : size.bytes),
        isInFile,
        deleted: this.#readDeleted(id, deletedCount, documentCount),
      };
    });
    const column = this.#readColumn(manifest);
    this.#saved = manifest;
    this.#removeOthers(manifest);
    return { manifest, parts, column };
  }

  /** Removes what the next start would continue from. Files that a view reads stay. */
  clear(view?: IndexView): void {
    this.#saved = undefined;
    rmSync(join(this.#folder, MANIFEST), { force: true });
    const inFile = view?.parts.filter(({ isInFile }) => isInFile) ?? [];
    this.#removeAllBut(new Set(inFile.map(({ id }) => segmentName(id))));
  }

  #isSaved(id: number, deletedCount: number): boolean {
    const saved = this.#saved?.segments.find((segment) => segment.id === id);
    return saved?.deletedCount === deletedCount;
  }

  async #write(name: string, content: Uint8Array): Promise<void> {
    const path = join(this.#folder, name);
    const file = await open(path + UNFINISHED, 'w', 0o600);
    try {
      const checksum = new Checksum();
      for (let at = 0; at < content.length; at += CHUNK_BYTES) {
        const chunk = content.subarray(at, at + CHUNK_BYTES);
        checksum.add(chunk);
        await writeAll(file, chunk);
      }
      await writeAll(file, checksum.seal());
      await file.sync();
    } catch (error) {
      // Half a file would only take room.
      await rm(path + UNFINISHED, { force: true });
      throw error;
    } finally {
      await file.close();
    }
    await rename(path + UNFINISHED, path);
  }

  async #syncFolder(): Promise<void> {
    const folder = await open(this.#folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
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

  #readColumn({ sequence, hasColumn }: IndexManifest): Uint8Array | undefined {
    if (hasColumn !== true) return undefined;
    const name = columnName(sequence);
    const bytes = this.#readOrNothing(name);
    if (bytes === undefined) throw new DamagedIndexError(`${name} is missing`);
    return unsealed(bytes, name);
  }

  #readDeleted(id: number, deletedCount: number, documentCount: number): Uint32Array {
    const name = deletedName(id, deletedCount);
    const bytes = this.#readOrNothing(name);
    if (bytes === undefined) throw new DamagedIndexError(`${name} is missing`);
    const deleted = new Uint32Array(new Uint8Array(unsealed(bytes, name)).buffer);
    if (deleted.length !== deletedCount || deleted.some((document) => document >= documentCount)) {
      throw new DamagedIndexError(`${name} does not belong to its segment`);
    }
    return deleted;
  }

  /** The beginning of a file that was verified. */
  #readSegment(id: number, length: number): SharedArrayBuffer {
    const memory = new SharedArrayBuffer(length);
    this.#withFile(segmentName(id), (file) => {
      for (let at = 0; at < length; at += CHUNK_BYTES) {
        const chunk = Math.min(CHUNK_BYTES, length - at);
        new Uint8Array(memory, at, chunk).set(readAt(file, at, chunk));
      }
    });
    return memory;
  }

  /** Verifies a whole file. Returns how much of it is content. */
  #verified(id: number): { readonly bytes: number; readonly residentBytes: number } {
    const name = segmentName(id);
    const size = statSync(join(this.#folder, name), { throwIfNoEntry: false })?.size;
    if (size === undefined) throw new DamagedIndexError(`${name} is missing`);
    const bytes = size - SEAL_BYTES;
    if (bytes < 0) throw new DamagedIndexError(`${name} is too short`);
    return this.#withFile(name, (file) => {
      const checksum = new Checksum();
      for (let at = 0; at < bytes; at += CHUNK_BYTES) {
        checksum.add(readAt(file, at, Math.min(CHUNK_BYTES, bytes - at)));
      }
      checksum.verify(readAt(file, bytes, SEAL_BYTES), name);
      const read = (offset: number, length: number): Uint8Array => readAt(file, offset, length);
      return { bytes, residentBytes: residentBytes(read, bytes, name) };
    });
  }

  #withFile<Result>(name: string, use: (file: number) => Result): Result {
    const file = openSync(join(this.#folder, name), 'r');
    try {
      return use(file);
    } finally {
      closeSync(file);
    }
  }

  #removeOthers({ segments, sequence, hasColumn }: IndexManifest): void {
    const kept = new Set([MANIFEST, ...(hasColumn === true ? [columnName(sequence)] : [])]);
    for (const { id, deletedCount } of segments) {
      kept.add(segmentName(id)).add(deletedName(id, deletedCount));
    }
    this.#removeAllBut(kept);
  }

  #removeAllBut(kept: ReadonlySet<string>): void {
    for (const name of readdirSync(this.#folder)) {
      if (!kept.has(name)) rmSync(join(this.#folder, name), { recursive: true, force: true });
    }
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, at);
    at += bytesWritten;
  }
}

function readAt(file: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let filled = 0; filled < length;) {
    const count = readSync(file, bytes, filled, length - filled, offset + filled);
    assert(count > 0, 'a segment file does not shrink while it is open');
    filled += count;
  }
  return bytes;
}

/**
 * Compares each file of a saved index with its checksum. The index thread may save meanwhile: a
 * file that is gone has been replaced. Returns the number of files.
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
