import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync } from 'node:crypto';
import { assert } from '#base/assert.ts';
import type { KeyObject } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
export const ENCRYPTION_KEY_BYTES = 32;
/** Each log has a random salt, so that two logs with one master key encrypt with different keys. */
export const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const NONCE_SEQUENCE_BYTES = 6;
const TAG_BYTES = 16;
const KEY_CHECK_BYTES = 16;

/** The number of bytes that encryption adds to a payload. */
export const CIPHER_OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES;

export type RandomBytes = (length: number) => Uint8Array;

/**
 * AES-256-GCM for each record; the record's header is authenticated with it, so a record cannot be
 * moved or renumbered.
 *
 *     stored payload = nonce (12) | ciphertext | tag (16)
 *     nonce          = the record's first sequence (6, big-endian) | random (6)
 *
 * A nonce never repeats under one key. Within a log each sequence is used once, with two
 * exceptions: it is given again after a failed write, and after a start that cut off an unfinished
 * write. The random part, drawn for each group, makes the nonces of these cases differ. It also
 * does so when two copies of one log are continued separately.
 */
export class RecordCipher {
  readonly #key: KeyObject;
  readonly #random: RandomBytes;

  constructor(masterKey: Uint8Array, salt: Uint8Array, random: RandomBytes) {
    this.#key = createSecretKey(derive(masterKey, salt, 'trellis log records', 32));
    this.#random = random;
  }

  /** The random part of the nonces of one group. */
  drawNonceSuffix(): Uint8Array {
    return this.#random(NONCE_BYTES - NONCE_SEQUENCE_BYTES);
  }

  /**
   * Encrypts a payload; the result is the stored payload in parts. `header` is authenticated with
   * it.
   */
  seal(
    header: Uint8Array,
    first: number,
    nonceSuffix: Uint8Array,
    payload: Uint8Array,
  ): Uint8Array[] {
    const nonce = Buffer.alloc(NONCE_BYTES);
    nonce.writeUIntBE(first, 0, NONCE_SEQUENCE_BYTES);
    nonce.set(nonceSuffix, NONCE_SEQUENCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(header);
    const ciphertext = cipher.update(payload);
    cipher.final();
    return [nonce, ciphertext, cipher.getAuthTag()];
  }

  /** Decrypts a stored payload; undefined when it was not sealed with this key and header. */
  open(header: Uint8Array, stored: Uint8Array): Uint8Array | undefined {
    if (stored.length < CIPHER_OVERHEAD_BYTES) return undefined;
    const tagAt = stored.length - TAG_BYTES;
    const nonce = stored.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(header);
    decipher.setAuthTag(stored.subarray(tagAt));
    const payload = decipher.update(stored.subarray(NONCE_BYTES, tagAt));
    try {
      decipher.final();
    } catch {
      // When the tag is wrong, Node throws an error without a code.
      return undefined;
    }
    return payload;
  }
}

/**
 * A value that is derived from the master key and stored with the log, so that a wrong key is
 * detected before anything is decrypted. 32 hexadecimal digits.
 */
export function keyCheck(masterKey: Uint8Array, salt: Uint8Array): string {
  return derive(masterKey, salt, 'trellis log key check', KEY_CHECK_BYTES).toString('hex');
}

function derive(masterKey: Uint8Array, salt: Uint8Array, purpose: string, bytes: number): Buffer {
  assert(masterKey.length === ENCRYPTION_KEY_BYTES, 'an encryption key has 32 bytes');
  return Buffer.from(hkdfSync('sha256', masterKey, salt, purpose, bytes));
}
