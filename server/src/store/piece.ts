import { createHash, webcrypto } from 'node:crypto';

/**
 * A piece is a run of entries of one database, in key order, encoded as puts (`batch.ts`), and
 * named by the SHA-256 of its bytes. Where a piece ends depends only on the entries there, not on
 * how many came before. So a change of some entries changes only the pieces that hold them; the
 * other pieces keep their names.
 *
 * A piece is never smaller than the minimum, except the last one of a database, and never larger
 * than the maximum, except with a single entry. On average it has about 4 MiB, whatever the size of
 * the entries.
 */
const PIECE_BYTES_MIN = 1024 * 1024;
const PIECE_BYTES_MAX = 16 * 1024 * 1024;
/** What a piece has on average above the minimum. */
const PIECE_BYTES_SPREAD = 3 * 1024 * 1024;

/**
 * Whether an entry begins a new piece, after `pieceBytes` in the one before it. Its key lies in
 * `bytes`.
 */
export function beginsPiece(
  pieceBytes: number,
  entryBytes: number,
  bytes: Uint8Array,
  keyStart: number,
  keyEnd: number,
): boolean {
  if (pieceBytes < PIECE_BYTES_MIN) return false;
  if (pieceBytes + entryBytes > PIECE_BYTES_MAX) return true;
  // The chance to begin a piece grows with the size of the entry. So pieces have the same average
  // size with many small entries and with few large ones.
  return hash32(bytes, keyStart, keyEnd) / 2 ** 32 < entryBytes / PIECE_BYTES_SPREAD;
}

/** The SHA-256 of a piece, 64 hexadecimal digits. */
export function pieceDigest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The same, computed on another thread. The bytes must not change until it resolves. */
export async function pieceDigestAside(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}

/**
 * FNV-1a with a finaliser (from MurmurHash3) that spreads it over all bits. It is part of the
 * format and must not change.
 */
function hash32(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
