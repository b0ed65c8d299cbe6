import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
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
   * The bytes that were sealed. Throws `replication_corrupt` when it is not the next frame as it
   * was sealed.
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

/**
 * `Frame` of `replication.proto` in protobuf's encoding, by hand: a general encoder copies every
 * byte once more, and frames are nearly all that the channel carries.
 */
const CIPHERTEXT = 0x0a;
const TAG = 0x12;
const LAST = 0x18;
const VARINT_BYTES_MAX = 5;

export function encodeFrame({ ciphertext, tag, last }: Frame): Buffer {
  const lengthBytes = varintBytes(ciphertext.length);
  const size = 1 + lengthBytes + ciphertext.length + 2 + tag.length + (last ? 2 : 0);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  bytes[at++] = CIPHERTEXT;
  for (let left = ciphertext.length; ; left >>>= 7) {
    if (left < 0x80) {
      bytes[at++] = left;
      break;
    }
    bytes[at++] = (left & 0x7f) | 0x80;
  }
  bytes.set(ciphertext, at);
  at += ciphertext.length;
  bytes[at++] = TAG;
  bytes[at++] = tag.length;
  bytes.set(tag, at);
  at += tag.length;
  if (last) {
    bytes[at++] = LAST;
    bytes[at] = 1;
  }
  return bytes;
}

/** Its byte fields are views of `bytes`. Throws `replication_corrupt` when it is no frame. */
export function decodeFrame(bytes: Buffer): Frame {
  let ciphertext: Uint8Array = bytes.subarray(0, 0);
  let tag = ciphertext;
  let last = false;
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let i = 0; i < VARINT_BYTES_MAX; i++) {
      const byte = bytes[at++];
      if (byte === undefined) break;
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw corrupt('a frame is cut short');
  };
  const field = (): Uint8Array => {
    const length = varint();
    if (length > bytes.length - at) throw corrupt('a frame is cut short');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = bytes[at++];
    if (key === CIPHERTEXT) ciphertext = field();
    else if (key === TAG) tag = field();
    else if (key === LAST) last = varint() !== 0;
    else throw corrupt('a frame has an unknown field');
  }
  return { ciphertext, tag, last };
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let left = value; left >= 0x80; left >>>= 7) bytes++;
  return bytes;
}
