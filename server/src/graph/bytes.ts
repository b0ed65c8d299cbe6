/**
 * A buffer that grows while it is written. It is used again for the next record, so views of it are
 * valid only until then.
 */
export class ByteWriter {
  bytes: Buffer;
  length = 0;
  /** Of `bytes`, by length. */
  #views: (Buffer | undefined)[] = [];

  constructor(capacity = 1_024) {
    this.bytes = Buffer.allocUnsafeSlow(capacity);
  }

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
    this.#views = [];
  }

  /** All that is written, valid until more is: a load would make millions of views. */
  view(): Buffer {
    const { bytes, length } = this;
    if (length > VIEW_BYTES_MAX) return bytes.subarray(0, length);
    return (this.#views[length] ??= bytes.subarray(0, length));
  }

  u8(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  i32(value: number): void {
    this.reserve(4);
    this.length = this.bytes.writeInt32BE(value, this.length);
  }

  f32(value: number): void {
    this.reserve(4);
    this.length = this.bytes.writeFloatBE(value, this.length);
  }

  f64(value: number): void {
    this.reserve(8);
    this.length = this.bytes.writeDoubleBE(value, this.length);
  }

  i64(value: bigint): void {
    this.reserve(8);
    this.length = this.bytes.writeBigInt64BE(value, this.length);
  }

  /** Writes an unsigned integer with seven bits in each byte, the lowest bits first. */
  varint(value: number): void {
    this.reserve(VARINT_BYTES_MAX);
    let rest = value;
    while (rest > 0x7f) {
      this.bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }

  copy(source: Uint8Array, start: number, end: number): void {
    this.reserve(end - start);
    if (end - start > SHORT_BYTES) {
      this.bytes.set(source.subarray(start, end), this.length);
      this.length += end - start;
    } else {
      for (let i = start; i < end; i++) this.bytes[this.length++] = source[i]!;
    }
  }

  /** A text that is known to be short and all ASCII. */
  ascii(text: string): void {
    this.reserve(text.length);
    const { bytes, length } = this;
    for (let i = 0; i < text.length; i++) bytes[length + i] = text.charCodeAt(i);
    this.length = length + text.length;
  }

  utf8(text: string): void {
    this.reserve(text.length > LONG_TEXT_CHARACTERS ? Buffer.byteLength(text) : text.length * 3);
    if (text.length <= SHORT_TEXT_CHARACTERS && this.#ascii(text)) return;
    this.length += this.bytes.write(text, this.length, 'utf8');
  }

  /**
   * Writes a text that is all ASCII. For a short text, this is faster than a call into native code.
   */
  #ascii(text: string): boolean {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      this.bytes[this.length + i] = code;
    }
    this.length += text.length;
    return true;
  }
}

/** The most bytes that `varint` writes. */
export const VARINT_BYTES_MAX = 5;

/** How many bytes `varint` writes. */
export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest >>>= 7) bytes++;
  return bytes;
}

const SHORT_TEXT_CHARACTERS = 16;
const LONG_TEXT_CHARACTERS = 4_096;
const SHORT_BYTES = 32;

/** The same bytes as a Buffer, without a copy. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Buffers of views that come again and again, as those of a reader do: one for each length. */
export class BufferViews {
  readonly #buffers: (Buffer | undefined)[] = [];

  /** The same bytes, without a copy. */
  of(bytes: Uint8Array): Buffer {
    const { length } = bytes;
    if (length > VIEW_BYTES_MAX) return asBuffer(bytes);
    const known = this.#buffers[length];
    if (known?.byteOffset === bytes.byteOffset && known.buffer === bytes.buffer) return known;
    return (this.#buffers[length] = asBuffer(bytes));
  }
}

const VIEW_BYTES_MAX = 4_096;
