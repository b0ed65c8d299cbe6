import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { releaseMemory } from '#base/release-memory.ts';
import { snapshotCorrupt } from './manifest.ts';

/**
 * An encrypted piece is
 *
 *     salt (32 bytes) | AES-256-GCM of the piece, with its digest as associated data | tag (16)
 *
 * with a key that is derived from a secret and the salt.
 */
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
export const SALT_BYTES = 32;
export const TAG_BYTES = 16;
/** How much is decrypted at a time. This much stays in the processor's cache. */
const UNSEALED_BYTES = 256 * 1024;
/** Always the same, since each key is used only once. */
const NONCE = new Uint8Array(12);

/** Encrypts a piece. The result is in parts, to be written one after the other. */
export function sealPiece(
  secret: string | Uint8Array,
  digest: string,
  parts: readonly Uint8Array[],
): readonly Uint8Array[] {
  const salt = randomBytes(SALT_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(secret, salt), NONCE, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(digest));
  const sealed = parts.map((part) => cipher.update(part));
  cipher.final();
  return [salt, ...sealed, cipher.getAuthTag()];
}

export interface SealedPiece {
  readonly salt: Uint8Array;
  readonly bytes: Buffer;
  readonly tag: Uint8Array;
}

/**
 * Decrypts a piece in place, since to allocate new memory for each piece takes longer than to
 * decrypt it. Throws `snapshot_corrupt` when the bytes are not what was sealed.
 */
export function unsealPiece(
  secret: string | Uint8Array,
  digest: string,
  { salt, bytes, tag }: SealedPiece,
): void {
  const key = keyOf(secret, salt);
  const decipher = createDecipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(digest));
  decipher.setAuthTag(tag);
  for (let at = 0; at < bytes.length; at += UNSEALED_BYTES) {
    const plain = decipher.update(bytes.subarray(at, at + UNSEALED_BYTES));
    bytes.set(plain, at);
    releaseMemory(plain);
  }
  try {
    decipher.final();
  } catch {
    // When the tag is wrong, Node throws an error without a code.
    throw snapshotCorrupt(`piece ${digest} was changed on the disk`);
  }
}

function keyOf(secret: string | Uint8Array, salt: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, salt, 'trellis piece', KEY_BYTES));
}
