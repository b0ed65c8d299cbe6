import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { corrupt } from './channel-problem.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** One message of the wire; see `replication.proto`. */
export interface Frame {
  readonly ciphertext: Uint8Array;
  readonly tag: Uint8Array;
  readonly last: boolean;
}

/**
 * Encrypts the frames of one direction of one call with AES-256-GCM, under a key of their own. The
 * nonce is
 *
 * 1 when the frame ends its message, else 0 (1 byte) | 0 (5) | number of the frame in the call (6,
 * big-endian)
 *
 * so no frame can be changed, left out, repeated, moved, or taken for the end of a message.
 */
export class FrameSealer {
  readonly #key: KeyObject;
  #number = 0;

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key);
  }

  seal(parts: readonly Uint8Array[], last: boolean): Frame {
    const nonce = nonceOf(this.#number++, last);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    const sealed = parts.map((part) => cipher.update(part));
    cipher.final();
    const ciphertext = sealed.length === 1 ? sealed[0]! : Buffer.concat(sealed);
    return { ciphertext, tag: cipher.getAuthTag(), last };
  }
}

/** The other end of a `FrameSealer` with the same key. */
export class FrameOpener {
  readonly #key: KeyObject;
  #number = 0;

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key);
  }

  /**
   * What was sealed. Throws `replication_corrupt` when it is not the next frame as it was sealed.
   */
  open({ ciphertext, tag, last }: Frame): Buffer {
    if (tag.length !== TAG_BYTES) throw corrupt('a frame has no tag');
    const nonce = nonceOf(this.#number++, last);
    const decipher = createDecipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(tag);
    const bytes = decipher.update(ciphertext);
    try {
      decipher.final();
    } catch {
      // Node tells a wrong tag by throwing an error without a code.
      throw corrupt('a frame is not what was sent');
    }
    return bytes;
  }
}

function nonceOf(number: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce[0] = last ? 1 : 0;
  nonce.writeUIntBE(number, NONCE_BYTES - 6, 6);
  return nonce;
}
