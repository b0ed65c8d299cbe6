import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

const DAY_S = 24 * 60 * 60;

/**
 * Who issues the licenses of a test: a compact JWS with EdDSA (open-shapes, section 1), made with
 * `node:crypto` alone.
 */
export class TestAuthority {
  readonly publicPem: string;
  readonly #key: KeyObject;

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    this.publicPem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    this.#key = privateKey;
  }

  issue({
    features = ['Replicas'],
    days = 30,
  }: { readonly features?: readonly string[]; readonly days?: number } = {}): string {
    const exp = Math.floor(Date.now() / 1_000) + days * DAY_S;
    const parts = [
      { alg: 'EdDSA', typ: 'JWT' },
      { sub: 'the cluster tests', features, iat: exp - 60 * DAY_S, exp },
    ];
    const text = parts.map((part) => base64url(JSON.stringify(part))).join('.');
    return `${text}.${base64url(sign(null, Buffer.from(text), this.#key))}`;
  }
}

function base64url(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64url');
}
