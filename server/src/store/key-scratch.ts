import { KEY_BYTES_MAX } from './batch.ts';

/** Keys in one buffer, one view of it for each length: lmdb-js has written a key down when `put` comes back. */
export class KeyScratch {
  readonly #bytes = new Uint8Array(KEY_BYTES_MAX);
  readonly #views: Uint8Array[] = [];

  copy(from: Uint8Array, start: number, end: number): Uint8Array {
    const length = end - start;
    for (let i = 0; i < length; i++) this.#bytes[i] = from[start + i]!;
    return (this.#views[length] ??= this.#bytes.subarray(0, length));
  }
}
