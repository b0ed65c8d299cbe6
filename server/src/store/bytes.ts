/** Node copies longer runs. For this many bytes that takes as long as to copy them one by one. */
const COPIED_BYTES_MAX = 32;

/** Copies no more than there is room for. Unlike `set` with a `subarray`, it allocates nothing. */
export function copyBytes(
  from: Uint8Array,
  start: number,
  end: number,
  to: Uint8Array,
  at: number,
): void {
  const length = end - start;
  if (length <= COPIED_BYTES_MAX) {
    for (let i = 0; i < length; i++) to[at + i] = from[start + i]!;
  } else {
    Buffer.prototype.copy.call(from, to, at, start, end);
  }
}

/** Reads a little-endian number. */
export function u16(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

export function u32(bytes: Uint8Array, at: number): number {
  return (u16(bytes, at) | (u16(bytes, at + 2) << 16)) >>> 0;
}

/** Reads 4 bytes, big-endian, as the keys have them. */
export function readWord(bytes: Uint8Array, at: number): number {
  const word = (bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!;
  return word >>> 0;
}

/** Reads the id of a node: 5 bytes, big-endian. */
export function readId(bytes: Uint8Array, at: number): number {
  return bytes[at]! * 0x1_0000_0000 + readWord(bytes, at + 1);
}

/** Reads a sequence: 6 bytes, big-endian. */
export function readSequence(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 8) | bytes[at + 1]!) * 0x1_0000_0000 + readWord(bytes, at + 2);
}

/** The first key above another. */
export function keyAfter(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1);
  next.set(key);
  return next;
}
