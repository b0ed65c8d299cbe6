import { hash, randomFillSync } from 'node:crypto';
import type { NodeReference } from '@trellis/contract/shapes/node-reference.ts';
import { Problem } from './problem.ts';

/**
 * A UID is 128 bits, printed as 22 characters of base58 (Bitcoin's alphabet, big-endian, padded
 * with '1'). The UID of a node with a key is the first 128 bits of SHA-256 over
 * `utf8(type) 0x00 utf8(key)`, so that a client can compute it without a look-up (open-shapes,
 * section 2). A cryptographic hash, so that nobody can choose a key whose node takes the place of
 * another.
 */
export const UID_BYTES = 16;
export const UID_CHARACTERS = 22;

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGIT = new Int8Array(128).fill(-1);
for (let i = 0; i < ALPHABET.length; i++) DIGIT[ALPHABET.charCodeAt(i)] = i;

/** `uid`: memory for the result, where it is not to be kept. */
export function keyedUid(type: string, key: string, uid = new Uint8Array(UID_BYTES)): Uint8Array {
  // As a string of one character a byte, which is five times as fast as a buffer.
  const digest = hash('sha256', `${type}\0${key}`, 'binary');
  for (let i = 0; i < UID_BYTES; i++) uid[i] = digest.charCodeAt(i);
  return uid;
}

/** The UID that a reference names; a text that is none where no node can have it. */
export function uidOf(reference: NodeReference): string {
  if (typeof reference === 'string') return reference;
  if ('uid' in reference) return reference.uid;
  const { type, key } = reference;
  // The digest of a lone surrogate equals that of another key.
  return key.isWellFormed() ? formatUid(keyedUid(type, key)) : '';
}

export function randomUid(): Uint8Array {
  return randomFillSync(new Uint8Array(UID_BYTES));
}

/**
 * Five digits at a time: 58^5 is the largest power whose remainder times 2^16 a double holds
 * exactly with room.
 */
const DIGITS_AT_ONCE = 5;
const FIVE_DIGITS = 58 ** DIGITS_AT_ONCE;
const LIMBS = UID_BYTES / 2;
// Reused, as a UID is printed for every node that leaves the process; nothing here can be
// interrupted.
const limbs = new Uint16Array(LIMBS);
const printed = Buffer.alloc(UID_CHARACTERS);

/** Prints the UID that begins at a place of some bytes. */
export function formatUid(bytes: Uint8Array, start = 0): string {
  writeUid(bytes, printed, start);
  return printed.toString('latin1');
}

/** Prints a UID into `UID_CHARACTERS` bytes. */
export function writeUid(bytes: Uint8Array, target: Uint8Array, start = 0): void {
  for (let i = 0; i < LIMBS; i++) {
    limbs[i] = (bytes[start + 2 * i]! << 8) | bytes[start + 2 * i + 1]!;
  }
  let first = 0;
  let at = UID_CHARACTERS;
  while (at > 0) {
    while (first < LIMBS && limbs[first] === 0) first++;
    let remainder = 0;
    for (let i = first; i < LIMBS; i++) {
      const value = remainder * 0x1_0000 + limbs[i]!;
      const quotient = Math.floor(value / FIVE_DIGITS);
      limbs[i] = quotient;
      remainder = value - quotient * FIVE_DIGITS;
    }
    for (let digit = 0; digit < DIGITS_AT_ONCE && at > 0; digit++) {
      const quotient = (remainder / 58) | 0;
      target[--at] = ALPHABET.charCodeAt(remainder - quotient * 58);
      remainder = quotient;
    }
  }
}

/** Two digits are taken at a time, into four limbs of 32 bits. */
const PAIR_BASE = 58 * 58;
const LIMB = 0x1_0000_0000;

/** The bytes of a printed UID, or undefined when it is not one. */
export function tryParseUid(text: string): Uint8Array | undefined {
  if (text.length !== UID_CHARACTERS) return undefined;
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < UID_CHARACTERS; i += 2) {
    const high = digitAt(text, i);
    const low = digitAt(text, i + 1);
    if (high < 0 || low < 0) return undefined;
    let value = d * PAIR_BASE + high * 58 + low;
    let carry = Math.floor(value / LIMB);
    d = value - carry * LIMB;
    value = c * PAIR_BASE + carry;
    carry = Math.floor(value / LIMB);
    c = value - carry * LIMB;
    value = b * PAIR_BASE + carry;
    carry = Math.floor(value / LIMB);
    b = value - carry * LIMB;
    value = a * PAIR_BASE + carry;
    carry = Math.floor(value / LIMB);
    a = value - carry * LIMB;
    if (carry > 0) return undefined;
  }
  const bytes = new Uint8Array(UID_BYTES);
  writeLimb(bytes, 0, a);
  writeLimb(bytes, 4, b);
  writeLimb(bytes, 8, c);
  writeLimb(bytes, 12, d);
  return bytes;
}

function digitAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code < 128 ? DIGIT[code]! : -1;
}

function writeLimb(bytes: Uint8Array, at: number, limb: number): void {
  bytes[at] = limb >>> 24;
  bytes[at + 1] = limb >>> 16;
  bytes[at + 2] = limb >>> 8;
  bytes[at + 3] = limb;
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
