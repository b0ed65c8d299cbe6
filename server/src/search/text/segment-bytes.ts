/** Pages of a segment's file by number, all but the last of one size. A page never changes. */
export interface FilePages {
  readonly pageBytes: number;
  page(number: number): Uint8Array;
}

/** Opens the file of a segment, whose postings are not in memory, for the thread that asks. */
export type OpenPages = (id: number) => FilePages;

/** Bytes of a section of a segment: all in memory, or read as they are needed. */
export interface SegmentBytes {
  readonly length: number;
  /** A window for one reader: two cursors in one section need two. */
  window(): ByteWindow;
}

export interface ByteWindow {
  readonly bytes: Uint8Array;
  /**
   * Makes `[offset, offset + length)` of the section readable. Returns where it begins in `bytes`.
   */
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

/** A section that stays in its file. Each window keeps one page, or the longest block. */
export class FileBytes implements SegmentBytes {
  readonly length: number;
  readonly #pages: FilePages;
  readonly #start: number;

  constructor(pages: FilePages, start: number, length: number) {
    this.#pages = pages;
    this.#start = start;
    this.length = length;
  }

  window(): ByteWindow {
    return new MovingWindow(this.#pages, this.#start);
  }
}

class MovingWindow implements ByteWindow {
  bytes: Uint8Array = new Uint8Array(0);
  readonly #pages: FilePages;
  readonly #start: number;
  #page: Uint8Array = new Uint8Array(0);
  #number = -1;

  constructor(pages: FilePages, start: number) {
    this.#pages = pages;
    this.#start = start;
  }

  seek(offset: number, length: number): number {
    const { pageBytes } = this.#pages;
    const from = this.#start + offset;
    const number = Math.floor(from / pageBytes);
    const at = from - number * pageBytes;
    this.#turnTo(number);
    if (at + length <= pageBytes) {
      this.bytes = this.#page;
      return at;
    }
    this.bytes = this.#joined(at, length);
    return 0;
  }

  #turnTo(number: number): void {
    if (number === this.#number) return;
    this.#page = this.#pages.page(number);
    this.#number = number;
  }

  /** Bytes that continue in the next pages. */
  #joined(at: number, length: number): Uint8Array {
    const joined = new Uint8Array(length);
    let filled = 0;
    for (let from = at; ; from = 0) {
      const rest = this.#page.subarray(from, from + length - filled);
      joined.set(rest, filled);
      filled += rest.length;
      if (filled === length) return joined;
      this.#turnTo(this.#number + 1);
    }
  }
}
