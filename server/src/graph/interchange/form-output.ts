import { ByteWriter } from '../bytes.ts';

/** A piece is sent on when it has this length. */
const PIECE_BYTES = 128 * 1024;

/** Text on its way out, in pieces. */
export class FormOutput {
  #out = new ByteWriter(PIECE_BYTES * 2);

  get isEmpty(): boolean {
    return this.#out.length === 0;
  }

  get isFull(): boolean {
    return this.#out.length >= PIECE_BYTES;
  }

  /** What was written since the last call: a view, valid until more is written. */
  take(): Uint8Array {
    const { bytes, length } = this.#out;
    // A buffer that a large node has made is not kept.
    if (bytes.length > PIECE_BYTES * 4) this.#out = new ByteWriter(PIECE_BYTES * 2);
    else this.#out.length = 0;
    return bytes.subarray(0, length);
  }

  protected write(text: string): void {
    this.#out.utf8(text);
  }
}
