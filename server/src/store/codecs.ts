/**
 * Key and value codecs for lmdb-js that allocate nothing. lmdb-js copies each key and value that it
 * reads into buffers which it reuses; these codecs hand out views of them, one view object per
 * length, instead of one more copy each. So what a reader hands out is valid until the next read in
 * the same thread.
 */

/** A new view is made each time when it is longer than this. */
const CACHED_VIEW_BYTES_MAX = 4_096;

export interface KeyCodec {
  writeKey(key: Uint8Array, target: Uint8Array, at: number): number;
  readKey(source: Uint8Array, start: number, end: number): Uint8Array;
}

export function keyCodec(): KeyCodec {
  const views = new ViewCache();
  return {
    writeKey(key, target, at) {
      const { length } = key;
      // On a RangeError, lmdb-js tries again with a new buffer.
      if (at + length > target.byteLength) throw new RangeError('a key does not fit its buffer');
      for (let i = 0; i < length; i++) target[at + i] = key[i]!;
      return at + length;
    },
    readKey: (source, start, end) => views.view(source, start, end - start),
  };
}

export interface ValueCodec {
  encode(value: Uint8Array): Uint8Array;
  /**
   * lmdb-js sets the `length` of its buffer to that of the value; `byteLength` is the whole buffer.
   */
  decode(source: Uint8Array): Uint8Array;
}

export function valueCodec(): ValueCodec {
  const views = new ViewCache();
  return {
    encode: (value) => value,
    decode: (source) => views.view(source, 0, source.length),
  };
}

/**
 * Views of one buffer that start at one place, by length. They are dropped when the buffer changes.
 */
export class ViewCache {
  #views: (Uint8Array | undefined)[] = [];
  #buffer: ArrayBufferLike | undefined;
  #offset = 0;

  view(source: Uint8Array, start: number, length: number): Uint8Array {
    const offset = source.byteOffset + start;
    if (length > CACHED_VIEW_BYTES_MAX) return new Uint8Array(source.buffer, offset, length);
    if (source.buffer !== this.#buffer || offset !== this.#offset) {
      this.#views = [];
      this.#buffer = source.buffer;
      this.#offset = offset;
    }
    return (this.#views[length] ??= new Uint8Array(source.buffer, offset, length));
  }
}
