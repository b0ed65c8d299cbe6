import { crc32c as crcOfLong } from '@node-rs/crc32';

/** From here on the call into native code costs less than it saves. */
export const LONG_BYTES_MIN = 256;
const POLYNOMIAL = 0x82f63b78;
const TABLE = makeTable();

/** CRC-32C of bytes, after that of what is before them. Unsigned. */
export function crc32c(bytes: Uint8Array, start: number, end: number, before = 0): number {
  if (end - start >= LONG_BYTES_MIN) return crcOfLong(bytes.subarray(start, end), before);
  let crc = ~before;
  for (let i = start; i < end; i++) crc = TABLE[(crc ^ bytes[i]!) & 255]! ^ (crc >>> 8);
  return ~crc >>> 0;
}

function makeTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    return crc;
  });
}
