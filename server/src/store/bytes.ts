/** Longer runs are copied by the system. */
const COPIED_BYTES_MAX = 48;

/** `set` crosses into native code, which costs more than the bytes of a usual key. */
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
    to.set(length === from.length ? from : from.subarray(start, end), at);
  }
}

/** Numbers are little-endian. */
export function u16(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

export function u32(bytes: Uint8Array, at: number): number {
  return (u16(bytes, at) | (u16(bytes, at + 2) << 16)) >>> 0;
}

export function putU16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value;
  bytes[at + 1] = value >>> 8;
}

/** Of the value its lower 32 bits. */
export function putU32(bytes: Uint8Array, at: number, value: number): void {
  putU16(bytes, at, value);
  putU16(bytes, at + 2, value >>> 16);
}
