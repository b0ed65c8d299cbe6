import { Problem } from '#base/problem.ts';
import { NDJSON_LINE_BYTES_MAX } from '@trellis/contract/limits.ts';
import { asBuffer } from './bytes.ts';

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * Cuts a stream of bytes into lines. Lines with only white space are left out. A byte order mark at
 * the beginning is not part of the first line. Throws `line_too_large` for a line longer than the
 * limit, before all of it is in memory.
 */
export class LineSplitter {
  readonly #lineBytesMax: number;
  /** The beginning of a line whose end has not arrived yet. */
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  /** The number of the last returned line, counted from 1; lines that are left out count too. */
  number = 0;

  constructor(lineBytesMax: number = NDJSON_LINE_BYTES_MAX) {
    this.#lineBytesMax = lineBytesMax;
  }

  /**
   * Takes a chunk. Call this only after `next` has returned undefined for the chunk before; the
   * chunk must not change until `next` does so again.
   */
  add(chunk: Uint8Array): void {
    this.#chunk = asBuffer(chunk);
    this.#at = 0;
  }

  /** The next line, valid until the next call; undefined when the chunk is used up. */
  next(): Buffer | undefined {
    for (;;) {
      const end = this.#chunk.indexOf(NEWLINE, this.#at);
      if (end < 0) break;
      const line = this.#take(end);
      this.#at = end + 1;
      if (!isBlank(line)) return line;
    }
    this.#keepRest();
    return undefined;
  }

  /**
   * The lines of which the chunk has all, after the one that `next` has returned, each with its
   * line break; empty when they are so many bytes that one of them may be too long.
   */
  wholeLines(): Buffer {
    const end = this.#chunk.lastIndexOf(NEWLINE) + 1;
    const lines = this.#chunk.subarray(this.#at, Math.max(this.#at, end));
    return lines.length > this.#lineBytesMax ? lines.subarray(0, 0) : lines;
  }

  /** Goes on after the lines that `wholeLines` has returned, which are `count`. */
  skip(lines: Buffer, count: number): void {
    this.#at += lines.length;
    this.number += count;
  }

  /** The last line, when the stream ends without a line break; else undefined. */
  end(): Buffer | undefined {
    this.#chunk = Buffer.alloc(0);
    this.#at = 0;
    if (this.#pendingBytes === 0) return undefined;
    const line = this.#take(0);
    return isBlank(line) ? undefined : line;
  }

  #take(end: number): Buffer {
    this.number++;
    const tail = this.#chunk.subarray(this.#at, end);
    this.#checkLength(this.#pendingBytes + tail.length);
    let line = tail;
    if (this.#pendingBytes > 0) {
      line = Buffer.concat([...this.#pending, tail]);
      this.#pending = [];
      this.#pendingBytes = 0;
    }
    const isMarked = this.number === 1 && BYTE_ORDER_MARK.every((byte, i) => line[i] === byte);
    return isMarked ? line.subarray(BYTE_ORDER_MARK.length) : line;
  }

  #keepRest(): void {
    const rest = this.#chunk.subarray(this.#at);
    this.#chunk = Buffer.alloc(0);
    this.#at = 0;
    if (rest.length === 0) return;
    this.#pendingBytes += rest.length;
    if (this.#pendingBytes > this.#lineBytesMax) this.number++;
    this.#checkLength(this.#pendingBytes);
    // A copy, since the caller may use the chunk again.
    this.#pending.push(Buffer.from(rest));
  }

  #checkLength(bytes: number): void {
    if (bytes <= this.#lineBytesMax) return;
    throw new Problem('line_too_large', `Line ${this.number} is too long`, {
      details: { line: this.number, limitBytes: this.#lineBytesMax },
    });
  }
}

function isBlank(line: Buffer): boolean {
  for (const byte of line) {
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}
