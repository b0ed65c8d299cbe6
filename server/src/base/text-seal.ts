import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export interface OpenedText {
  readonly text: string;
  /** Of each seal another one, however its text is spelled. */
  readonly nonce: string;
}

/**
 * Seals texts, so that nobody without the key can read or make one: AES-256-GCM, with a random
 * nonce each. The context is sealed with the text and not kept: a text is opened only in its own.
 */
export class TextSeal {
  readonly #key: Uint8Array;

  /** The key has 32 bytes. */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** With a key of its own for each purpose, made of another secret. */
  static for(purpose: string, secret: string): TextSeal {
    return new TextSeal(new Uint8Array(hkdfSync('sha256', secret, '', purpose, KEY_BYTES)));
  }

  /** In base64url. */
  seal(text: string, context = ''): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv);
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url');
  }

  /** Undefined unless it was sealed with this key, in this context. */
  open(sealed: string, context = ''): OpenedText | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
    const end = bytes.length - TAG_BYTES;
    const iv = bytes.subarray(0, IV_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, iv);
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(end));
    const text = decipher.update(bytes.subarray(IV_BYTES, end));
    try {
      const whole = Buffer.concat([text, decipher.final()]);
      return { text: whole.toString('utf8'), nonce: iv.toString('hex') };
    } catch {
      // Whoever made it did not have the key: there is nothing more to know.
      return undefined;
    }
  }
}
