import { hash, randomFillSync } from 'node:crypto';
import { Problem } from './problem.ts';

/**
 * A UID is 128 bits, printed as 22 characters of base58 (Bitcoin's alphabet, big-endian, padded with '1').
 * The UID of a node with a key is the first 128 bits of SHA-256 over `utf8(type) 0x00 utf8(key)`, so that a client
 * can compute it without a look-up (open-shapes, section 2). A cryptographic hash, so that nobody can choose a key
 * whose node takes the place of another.
 */
export const UID_BYTES = 16;
export const UID_CHARACTERS = 22;

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGIT = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) DIGIT[ALPHABET.charCodeAt(i)] = i;

export function keyedUid(type: string, key: string): Uint8Array {
  return hash('sha256', `${type}\0${key}`, 'buffer').subarray(0, UID_BYTES);
}

export function randomUid(): Uint8Array {
  return randomFillSync(new Uint8Array(UID_BYTES));
}

export function formatUid(bytes: Uint8Array): string {
  const limbs = [0, 0, 0, 0];
  for (let i = 0; i < 4; i++) {
    const at = i * 4;
    limbs[i] =
      ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
  }
  const out = Array.from<string>({ length: UID_CHARACTERS });
  for (let i = UID_CHARACTERS - 1; i >= 0; i--) {
    let remainder = 0;
    for (let l = 0; l < 4; l++) {
      const value = remainder * 0x1_0000_0000 + limbs[l]!;
      limbs[l] = Math.floor(value / 58);
      remainder = value % 58;
    }
    out[i] = ALPHABET[remainder]!;
  }
  return out.join('');
}

/** The bytes of a printed UID, or undefined when it is not one. */
export function tryParseUid(text: string): Uint8Array | undefined {
  if (text.length !== UID_CHARACTERS) return undefined;
  const limbs = [0, 0, 0, 0];
  for (let i = 0; i < UID_CHARACTERS; i++) {
    const code = text.charCodeAt(i);
    const digit = code < 128 ? DIGIT[code]! : -1;
    if (digit < 0) return undefined;
    let carry = digit;
    for (let l = 3; l >= 0; l--) {
      const value = limbs[l]! * 58 + carry;
      limbs[l] = value % 0x1_0000_0000;
      carry = Math.floor(value / 0x1_0000_0000);
    }
    if (carry > 0) return undefined;
  }
  const bytes = new Uint8Array(UID_BYTES);
  const view = new DataView(bytes.buffer);
  for (let l = 0; l < 4; l++) view.setUint32(l * 4, limbs[l]!);
  return bytes;
}

export function parseUid(text: string): Uint8Array {
  const bytes = tryParseUid(text);
  if (bytes === undefined) {
    throw new Problem('invalid_request', `"${text.slice(0, 40)}" is not a UID`, {
      hint: 'A UID is 22 characters of base58, as answered in the field UID of a node.',
    });
  }
  return bytes;
}
