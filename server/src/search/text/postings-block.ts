/** Postings in a block of one term; a term's last block may have fewer. */
export const BLOCK_POSTINGS = 128;

/** How many postings the block with this number, counted within its term, has. */
export function blockSize(documentCount: number, number: number): number {
  return Math.min(BLOCK_POSTINGS, documentCount - number * BLOCK_POSTINGS);
}

/**
 * Bytes for each document in a block: enough for the distance of the last one from the block
 * before.
 */
export function documentWidth(distance: number): number {
  if (distance < 2 ** 16) return distance < 2 ** 8 ? 1 : 2;
  return distance < 2 ** 24 ? 3 : 4;
}

/** The document written at `at`: a distance from `base`, the last document of the block before. */
export function documentAt(bytes: Uint8Array, at: number, width: number, base: number): number {
  if (width === 2) return base + (bytes[at]! | (bytes[at + 1]! << 8));
  let distance = bytes[at]!;
  for (let i = 1; i < width; i++) distance |= bytes[at + i]! << (8 * i);
  return base + distance;
}

/** As `ByteWriter.variable` writes them. */
export function variableAt(bytes: Uint8Array, at: number): number {
  let value = 0;
  let shift = 0;
  let index = at;
  let byte: number;
  do {
    byte = bytes[index++]!;
    value |= (byte & 127) << shift;
    shift += 7;
  } while (byte > 127);
  return value >>> 0;
}

export function afterVariables(bytes: Uint8Array, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0; at++) if (bytes[at]! < 128) left--;
  return at;
}
