import { createHash, webcrypto } from 'node:crypto';

/**
 * A piece is a run of entries of one database, in key order, encoded as puts (`batch.ts`), and
 * named by the SHA-256 of its bytes. Where one piece ends and the next begins follows from the
 * entries there alone, not from how many came before: so a change of some entries changes the
 * pieces that hold them, and the others keep their names.
 *
 * Piece sizes: never under the minimum except the last of a database, never over the maximum except
 * for a single entry, and about 4 MiB on average, whatever the size of the entries.
 */
const PIECE_BYTES_MIN = 1024 * 1024;
const PIECE_BYTES_MAX = 16 * 1024 * 1024;
/** What comes on top of the minimum on average. */
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
  // A chance by the entry's size gives the same piece size for many small entries and for few large
  // ones.
  return hash32(bytes, keyStart, keyEnd) / 2 ** 32 < entryBytes / PIECE_BYTES_SPREAD;
}

/** 64 hexadecimal digits. */
export function pieceDigest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The same, found while the thread does something else. The bytes must not change meanwhile. */
export async function pieceDigestAside(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
}

/**
 * FNV-1a with a finaliser that spreads it over all bits (from MurmurHash3); it is part of the
 * format.
 */
function hash32(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
