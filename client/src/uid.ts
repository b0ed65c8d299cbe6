import { sha256 } from './sha256.ts';

const UID_BYTES = 16;
const UID_CHARACTERS = 22;
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * The UID of the node with this type and key, whether it exists or not: the first 128 bits of
 * SHA-256 over `utf8(type) 0x00 utf8(key)`, as 22 characters of base58 (open-shapes, section 2,
 * "UID").
 */
export function nodeUid(type: string, key: string): string {
  return base58(sha256(new TextEncoder().encode(`${type}\0${key}`)).subarray(0, UID_BYTES));
}

/** Bitcoin's alphabet, big-endian, padded with '1' to the width that holds every UID. */
function base58(bytes: Uint8Array): string {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  let text = '';
  for (let i = 0; i < UID_CHARACTERS; i++) {
    text = ALPHABET.charAt(Number(value % 58n)) + text;
    value /= 58n;
  }
  return text;
}
