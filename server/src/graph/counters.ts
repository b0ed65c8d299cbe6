/** Counters of `meta`: 48 bits, big-endian. */
const COUNTER_BYTES = 6;

export function encodeCount(count: number): Uint8Array {
  const bytes = Buffer.alloc(COUNTER_BYTES);
  bytes.writeUIntBE(count, 0, COUNTER_BYTES);
  return bytes;
}

/** 0 when there is none. */
export function readCount(bytes: Uint8Array | undefined): number {
  if (bytes === undefined) return 0;
  let count = 0;
  for (let i = 0; i < COUNTER_BYTES; i++) count = count * 256 + bytes[i]!;
  return count;
}
