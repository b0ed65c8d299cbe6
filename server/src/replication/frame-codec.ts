import { corrupt } from './channel-problem.ts';
import type { Frame } from './frame-cipher.ts';

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
