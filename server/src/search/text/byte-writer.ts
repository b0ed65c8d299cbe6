/** Bytes that grow as they are written. */
export class ByteWriter {
  length = 0;
  #bytes: Uint8Array;

  constructor(capacity = 1_024) {
    this.#bytes = new Uint8Array(capacity);
  }

  /** What was written so far; good until more is written. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.length);
  }

  clear(): void {
    this.length = 0;
  }

  byte(value: number): void {
    if (this.length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.length++] = value;
  }

  /** Seven bits to a byte, the lowest first; the last byte is below 128. `value` has at most 32 bits. */
  variable(value: number): void {
    if (this.length + 5 > this.#bytes.length) this.#grow(5);
    let rest = value;
    while (rest > 127) {
      this.#bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#bytes[this.length++] = rest;
  }

  /** In `width` bytes, the lowest first. */
  fixed(value: number, width: number): void {
    if (this.length + width > this.#bytes.length) this.#grow(width);
    let rest = value;
    for (let i = 0; i < width; i++) {
      this.#bytes[this.length++] = rest & 255;
      rest >>>= 8;
    }
  }

  /** `[from, to)` of other bytes. Short pieces are the rule, for which a loop is faster than `set`. */
  copy(source: Uint8Array, from: number, to: number): void {
    const count = to - from;
    if (this.length + count > this.#bytes.length) this.#grow(count);
    if (count > 64) this.#bytes.set(source.subarray(from, to), this.length);
    else for (let i = 0; i < count; i++) this.#bytes[this.length + i] = source[from + i]!;
    this.length += count;
  }

  #grow(count: number): void {
    const bytes = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + count));
    bytes.set(this.written);
    this.#bytes = bytes;
  }
}
