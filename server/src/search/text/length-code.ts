/** Lengths below this are kept exactly. */
const EXACT = 24;

/**
 * Lengths that differ by less than an eighth share a code: one byte holds up to 2^31 tokens. The scheme is Lucene's.
 */
export function encodeLength(tokenCount: number): number {
  if (tokenCount < EXACT) return tokenCount;
  const rest = Math.min(tokenCount, 0x7fff_ffff) - EXACT;
  const bits = 32 - Math.clz32(rest);
  if (bits < 4) return EXACT + rest;
  const shift = bits - 4;
  return EXACT + (((rest >>> shift) & 7) | ((shift + 1) << 3));
}

/** The shortest length of each code. Whole numbers, so that sums of them are the same in any order. */
export const DECODED_LENGTHS: Float64Array = Float64Array.from({ length: 256 }, (_, code) => {
  if (code < EXACT) return code;
  const bits = (code - EXACT) & 7;
  const shift = ((code - EXACT) >>> 3) - 1;
  return EXACT + (shift === -1 ? bits : (bits | 8) * 2 ** shift);
});
