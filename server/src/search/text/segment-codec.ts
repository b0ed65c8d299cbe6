import { crc32 } from 'node:zlib';
import { headBytes, HEADER_BYTES, segmentBytes, SegmentLayout } from './segment-layout.ts';
import { join } from 'node:path';

/** Bytes after the content: its CRC-32 and its length, little-endian. */
export const SEAL_BYTES = 12;

/** A damaged file of the index. The index is then rebuilt from the log; nothing of it is served. */
export class DamagedIndexError extends Error {
  override readonly name = 'DamagedIndexError';
}

/** A checksum over bytes that come one after the other. */
export class Checksum {
  #crc = 0;
  #length = 0;

  add(bytes: Uint8Array): void {
    this.#crc = crc32(bytes, this.#crc);
    this.#length += bytes.length;
  }

  /** The bytes to write after the content. */
  seal(): Uint8Array {
    const seal = new Uint8Array(SEAL_BYTES);
    const view = new DataView(seal.buffer);
    view.setUint32(0, this.#crc, true);
    view.setFloat64(4, this.#length, true);
    return seal;
  }

  /** Throws if the seal does not belong to the bytes. */
  verify(seal: Uint8Array, what: string): void {
    if (Buffer.compare(this.seal(), seal) !== 0) {
      throw new DamagedIndexError(`${what} is damaged: its checksum does not fit`);
    }
  }
}

export function sealOf(bytes: Uint8Array): Uint8Array {
  const checksum = new Checksum();
  checksum.add(bytes);
  return checksum.seal();
}

/** The content of a sealed file. Throws a `DamagedIndexError` if it is damaged. */
export function unsealed(file: Uint8Array, what: string): Uint8Array {
  if (file.length < SEAL_BYTES) throw new DamagedIndexError(`${what} is too short`);
  const content = file.subarray(0, file.length - SEAL_BYTES);
  const checksum = new Checksum();
  checksum.add(content);
  checksum.verify(file.subarray(content.length), what);
  return content;
}

/** A segment as a file: its memory as it is, and the seal. */
export function encodeSegment(memory: SharedArrayBuffer): Uint8Array {
  const bytes = new Uint8Array(memory);
  const file = new Uint8Array(bytes.length + SEAL_BYTES);
  file.set(bytes);
  file.set(sealOf(bytes), bytes.length);
  return file;
}

/** Reads a segment. Throws a `DamagedIndexError` if the file is damaged or has another format. */
export function decodeSegment(file: Uint8Array, what: string): SharedArrayBuffer {
  const content = unsealed(file, what);
  checkHeader(content, content.length, what);
  const memory = new SharedArrayBuffer(content.length);
  new Uint8Array(memory).set(content);
  return memory;
}

/**
 * Bytes of a segment that must be in memory when its postings stay in the file. `read` reads the
 * file.
 */
export function residentBytes(
  read: (offset: number, length: number) => Uint8Array,
  length: number,
  what: string,
): number {
  const header = read(0, Math.min(HEADER_BYTES, length)).slice();
  checkHeader(header, length, what);
  return new SegmentLayout(read(0, headBytes(header)!).slice()).residentBytes;
}

function checkHeader(header: Uint8Array, length: number, what: string): void {
  if (headBytes(header) === undefined || segmentBytes(header) !== length) {
    throw new DamagedIndexError(`${what} is no segment of this format`);
  }
}

/** The content of an index on disk. */
export interface IndexManifest {
  /** Sequence of the last commit that is in the index. */
  readonly sequence: number;
  /** Digest of the settings that it was made with. */
  readonly settings: string;
  readonly segments: readonly StoredSegment[];
  /** Whether a column beside the documents is kept with it, in a file of its own. */
  readonly hasColumn?: boolean;
}

interface StoredSegment {
  readonly id: number;
  readonly documentCount: number;
  readonly deletedCount: number;
}

/** In the storage folder. */
export function indexFolder(storage: string): string {
  return join(storage, 'search');
}

export function segmentName(id: number): string {
  return `segment-${id}`;
}

export function deletedName(id: number, deletedCount: number): string {
  return `deleted-${id}-${deletedCount}`;
}

/** A column that was saved with the commits up to a sequence. */
export function columnName(sequence: number): string {
  return `column-${sequence}`;
}

/** Raise it when older files would be read wrongly. */
const FORMAT = 1;

export function encodeIndexManifest(manifest: IndexManifest): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ format: FORMAT, ...manifest }));
}

/** The checksum is verified; the format may be another one. */
export function decodeIndexManifest(bytes: Uint8Array): IndexManifest {
  const { format, ...manifest } = JSON.parse(new TextDecoder().decode(bytes)) as IndexManifest & {
    readonly format: number;
  };
  if (format !== FORMAT) throw new DamagedIndexError(`the index has the format ${format}`);
  return manifest;
}
