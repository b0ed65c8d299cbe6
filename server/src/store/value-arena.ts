const CHUNK_BYTES = 64 * 1024;

/**
 * A value for `put` of lmdb-js by where it lies in a buffer, in the form that its `asBinary` makes:
 * so no view is made for each of millions of values. lmdb-js reads the places before `put` returns,
 * and keeps the object until the value is written. So one object serves all values of a buffer.
 */
export interface PlacedValue {
  readonly '\x10binary-data\x02': {
    readonly buffer: ArrayBuffer;
    start: number;
    end: number;
    /** Of the buffer; lmdb-js fills it in. */
    address: number;
  };
}

function placedIn(buffer: ArrayBuffer): PlacedValue {
  return { '\x10binary-data\x02': { buffer, start: 0, end: 0, address: 0 } };
}

/** Allocates memory for many short values. Memory that was given out is never used again. */
export class ValueArena {
  #chunk = new Uint8Array(0);
  #placed = placedIn(this.#chunk.buffer);
  #used = 0;

  /** Where the memory that was taken last lies. */
  get chunk(): Uint8Array {
    return this.#chunk;
  }

  take(bytes: number): Uint8Array {
    if (!ValueArena.holds(bytes)) return new Uint8Array(bytes);
    const start = this.takeAt(bytes);
    return this.#chunk.subarray(start, start + bytes);
  }

  /** Longer values get memory of their own. */
  static holds(bytes: number): boolean {
    return bytes <= CHUNK_BYTES / 4;
  }

  /** Takes memory, and returns where it begins in `chunk`. */
  takeAt(bytes: number): number {
    if (this.#used + bytes > this.#chunk.length) {
      this.#chunk = new Uint8Array(CHUNK_BYTES);
      this.#placed = placedIn(this.#chunk.buffer);
      this.#used = 0;
    }
    this.#used += bytes;
    return this.#used - bytes;
  }

  /** A part of `chunk` as a value to put, valid until the next call. */
  placed(start: number, end: number): PlacedValue {
    const place = this.#placed['\x10binary-data\x02'];
    place.start = start;
    place.end = end;
    return this.#placed;
  }
}
