import { crc32c as crcOfLong } from '@node-rs/crc32';
import { u32 } from './bytes.ts';

/** From this length on, a call into native code is faster. */
export const LONG_BYTES_MIN = 256;
const POLYNOMIAL = 0x82f63b78;
/** Tables for a byte, and for a byte that is followed by one, two or three more bytes. */
const [TABLE, BY_ONE, BY_TWO, BY_THREE] = makeTables();

/** The CRC-32C of bytes, unsigned. `before` is the CRC-32C of the bytes before them. */
export function crc32c(bytes: Uint8Array, start: number, end: number, before = 0): number {
  if (end - start >= LONG_BYTES_MIN) return crcOfLong(bytes.subarray(start, end), before);
  let crc = ~before;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    crc ^= u32(bytes, at);
    crc =
      BY_THREE[crc & 255]! ^
      BY_TWO[(crc >>> 8) & 255]! ^
      BY_ONE[(crc >>> 16) & 255]! ^
      TABLE[crc >>> 24]!;
  }
  for (; at < end; at++) crc = TABLE[(crc ^ bytes[at]!) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

function makeTables(): readonly [Int32Array, Int32Array, Int32Array, Int32Array] {
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    return crc;
  });
  const further = (before: Int32Array): Int32Array =>
    before.map((crc) => (crc >>> 8) ^ table[crc & 255]!);
  const byOne = further(table);
  const byTwo = further(byOne);
  return [table, byOne, byTwo, further(byTwo)];
}
