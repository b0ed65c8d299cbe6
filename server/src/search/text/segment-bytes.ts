import { assert } from '#base/assert.ts';

/** Gives `length` bytes of a file from `offset` on, all of them. The bytes may be a buffer that is used again. */
export type ReadBytes = (offset: number, length: number) => Uint8Array;

/** Bytes of a section of a segment: all in memory, or read as they are needed. */
export interface SegmentBytes {
  readonly length: number;
  /** A window for one reader: two cursors in one section need two. */
  window(): ByteWindow;
}

export interface ByteWindow {
  readonly bytes: Uint8Array;
  /** Makes `[offset, offset + length)` of the section readable, and says where in `bytes` it begins. */
  seek(offset: number, length: number): number;
}

export class ResidentBytes implements SegmentBytes {
  readonly length: number;
  readonly #window: ByteWindow;

  constructor(bytes: Uint8Array) {
    this.length = bytes.length;
    this.#window = new FixedWindow(bytes);
  }

  window(): ByteWindow {
    return this.#window;
  }
}

class FixedWindow implements ByteWindow {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  seek(offset: number): number {
    return offset;
  }
}

/** A section that stays in its file. Memory is bounded by the longest block, for each cursor. */
export class FileBytes implements SegmentBytes {
  readonly length: number;
  readonly #read: ReadBytes;
  readonly #start: number;

  constructor(read: ReadBytes, start: number, length: number) {
    this.#read = read;
    this.#start = start;
    this.length = length;
  }

  window(): ByteWindow {
    return new MovingWindow(this.#read, this.#start);
  }
}

class MovingWindow implements ByteWindow {
  bytes = new Uint8Array(0);
  readonly #read: ReadBytes;
  readonly #start: number;

  constructor(read: ReadBytes, start: number) {
    this.#read = read;
    this.#start = start;
  }

  seek(offset: number, length: number): number {
    if (this.bytes.length < length) this.bytes = new Uint8Array(length);
    const bytes = this.#read(this.#start + offset, length);
    assert(bytes.length === length, 'a segment file does not shrink while it is open');
    this.bytes.set(bytes);
    return 0;
  }
}
