import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { ConnectorError } from './connector-error.ts';

/** How the texts of a state are written into its file: a text always in the same way. */
export interface StateTexts {
  seal(text: string): string;
  open(written: string): string;
}

export const PLAIN_TEXTS: StateTexts = { seal: (text) => text, open: (written) => written };

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals ids and keys, so that nobody reads them in the file without the secret: AES-256-GCM, with a
 * nonce made of the text, as rows are looked up by what is sealed. So one sees which texts are
 * equal, and no more.
 */
export class SealedTexts implements StateTexts {
  readonly #key: Uint8Array;
  readonly #nonceKey: Uint8Array;

  constructor(secret: string) {
    this.#key = derived(secret, 'trellis connector state');
    this.#nonceKey = derived(secret, 'trellis connector state nonces');
  }

  seal(text: string): string {
    const iv = createHmac('sha256', this.#nonceKey).update(text).digest().subarray(0, IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv);
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url');
  }

  /** Throws `state_mismatch` for a text that was not sealed with this secret. */
  open(written: string): string {
    try {
      return this.#open(written);
    } catch (cause) {
      const message = 'The state was not sealed with this secret';
      throw new ConnectorError('state_mismatch', message, { cause });
    }
  }

  #open(written: string): string {
    const bytes = Buffer.from(written, 'base64url');
    const end = bytes.length - TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(end));
    const text = decipher.update(bytes.subarray(IV_BYTES, end));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  }
}

function derived(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
}
