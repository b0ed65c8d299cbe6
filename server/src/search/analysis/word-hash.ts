/** A hash of a part of a text, by its UTF-16 units; of 30 bits. */
export function hashOf(text: string, start = 0, end = text.length): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = nextHash(hash, text.charCodeAt(at));
  return endOfHash(hash);
}

/** The same for who reads the units anyway: begins with 0. */
export function nextHash(hash: number, unit: number): number {
  return (Math.imul(hash, 31) + unit) | 0;
}

export function endOfHash(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d) >>> 2;
}
