const CHUNK_BYTES = 64 * 1024;

/** Allocates memory for many short values. Memory that was given out is never used again. */
export class ValueArena {
  #chunk = new Uint8Array(0);
  #used = 0;

  take(bytes: number): Uint8Array {
    // Longer values get memory of their own.
    if (bytes > CHUNK_BYTES / 4) return new Uint8Array(bytes);
    if (this.#used + bytes > this.#chunk.length) {
      this.#chunk = new Uint8Array(CHUNK_BYTES);
      this.#used = 0;
    }
    this.#used += bytes;
    return this.#chunk.subarray(this.#used - bytes, this.#used);
  }
}
