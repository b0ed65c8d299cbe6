import { createSigner, createVerifier } from 'fast-jwt';
import { Problem } from '#base/problem.ts';
import { isClaims, type Claims } from './token-claims.ts';

/** HS256 over `MSK_JWT_KEY`. A changed key makes every token invalid (specification, section 5). */
export class TokenSignature {
  readonly #sign: (claims: Claims) => string;
  readonly #verify: (token: string) => unknown;

  constructor(key: string) {
    this.#sign = createSigner({ key, algorithm: 'HS256' });
    // Expiry is checked by our clock, and again for every request.
    this.#verify = createVerifier({ key, algorithms: ['HS256'], ignoreExpiration: true });
  }

  sign(claims: Claims): string {
    return this.#sign(claims);
  }

  /**
   * The claims, expired or not; the problem `invalid_token` for what was signed by another key or
   * algorithm, or has claims that we do not sign.
   */
  open(token: string): Claims {
    let claims: unknown;
    try {
      claims = this.#verify(token);
    } catch (cause) {
      throw invalidToken(cause);
    }
    if (!isClaims(claims)) throw invalidToken();
    return claims;
  }
}

export function invalidToken(cause?: unknown): Problem {
  return new Problem(
    'invalid_token',
    'The token is not valid: wrong signature, expired, or revoked.',
    {
      hint: 'Sign in again, or ask an administrator for a new token.',
      ...(cause === undefined ? {} : { cause }),
    },
  );
}
