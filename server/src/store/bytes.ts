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

/** Reads the id of a node: 5 bytes, big-endian. */
export function readId(bytes: Uint8Array, at: number): number {
  const low =
    ((bytes[at + 1]! << 24) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 8) | bytes[at + 4]!) >>>
    0;
  return bytes[at]! * 0x1_0000_0000 + low;
}
