import { WATCH_UNSENT_BYTES_MAX } from '#base/watch-limits.ts';

/** Counts the bytes of answers that those who watch have not taken yet. */
export class UnsentBytes {
  readonly #max: number;
  #bytes = 0;

  constructor(max = WATCH_UNSENT_BYTES_MAX) {
    this.#max = max;
  }

  /** Until it is disposed of. Beyond the limit somebody has to be cut off. */
  hold(bytes: number): Disposable & { readonly isTooMuch: boolean } {
    this.#bytes += bytes;
    return {
      isTooMuch: this.#bytes > this.#max,
      [Symbol.dispose]: () => void (this.#bytes -= bytes),
    };
  }
}
