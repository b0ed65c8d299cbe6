import { crc32 } from 'node:zlib';
import { HEADER_BYTES, SegmentLayout, headBytes, segmentBytes } from './segment-layout.ts';

/** Bytes behind the content: its CRC-32 and its length, little-endian. */
export const SEAL_BYTES = 12;

/** A file of the index is not what was written. The index is rebuilt from the log then; nothing of it is served. */
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

  /** What is written behind the bytes. */
  seal(): Uint8Array {
    const seal = new Uint8Array(SEAL_BYTES);
    const view = new DataView(seal.buffer);
    view.setUint32(0, this.#crc, true);
    view.setFloat64(4, this.#length, true);
    return seal;
  }

  /** Refuses a seal that is not the one of the bytes. */
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

/** The content of a sealed file; a `DamagedIndexError` where it is not as it was written. */
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

/** The memory of a segment; a `DamagedIndexError` where the file is not as it was written, or of another format. */
export function decodeSegment(file: Uint8Array, what: string): SharedArrayBuffer {
  const content = unsealed(file, what);
  checkHeader(content, content.length, what);
  const memory = new SharedArrayBuffer(content.length);
  new Uint8Array(memory).set(content);
  return memory;
}

/** How much of a segment has to be in memory when its postings stay in its file. `read` reads the file. */
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
