import { createSigner, createVerifier } from 'fast-jwt';
import type { Clock } from '#base/clock.ts';
import { SESSION_LIFETIME_MS, TOKEN_CACHE_ENTRIES_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';

/** The claims of a session JWT (specification, section 2.1). Decisions use the live graph, never `teams`. */
export interface SessionClaims {
  readonly kind: 'session';
  /** UID of the user. */
  readonly sub: string;
  readonly name: string;
  /** UIDs of the teams at sign-in. */
  readonly teams: readonly string[];
  /** Identifies the session. */
  readonly sid: string;
  /** Milliseconds since the Unix epoch; `iat` and `exp` are its seconds. */
  readonly beganAt: number;
  readonly iat: number;
  readonly exp: number;
}

/** HS256 over `MSK_JWT_KEY`. A changed key makes every token invalid (specification, section 5). */
export class SessionTokens {
  readonly #clock: Clock;
  readonly #sign: (claims: SessionClaims) => string;
  readonly #verifySignature: (token: string) => unknown;
  /** Claims of tokens whose signature is good; expiry and revocation are checked after it, every time. */
  readonly #verified = new Map<string, SessionClaims>();

  constructor(key: string, clock: Clock) {
    this.#clock = clock;
    this.#sign = createSigner({ key, algorithm: 'HS256' });
    // Expiry is checked here, by our clock.
    this.#verifySignature = createVerifier({ key, algorithms: ['HS256'], ignoreExpiration: true });
  }

  issue(user: { uid: string; name: string; teams: readonly string[] }, sid: string): IssuedSession {
    const beganAt = this.#clock.now();
    const iat = Math.floor(beganAt / 1_000);
    const exp = Math.floor((beganAt + SESSION_LIFETIME_MS) / 1_000);
    const token = this.#sign({
      kind: 'session',
      sub: user.uid,
      name: user.name,
      teams: user.teams,
      sid,
      beganAt,
      iat,
      exp,
    });
    return { token, expiresAt: new Date(exp * 1_000).toISOString() };
  }

  /** The claims, or the problem `invalid_token`: wrong signature, another kind, or expired. */
  verify(token: string): SessionClaims {
    const claims = this.#verified.get(token) ?? this.#verifyNew(token);
    if (claims.exp * 1_000 <= this.#clock.now()) throw invalidToken();
    return claims;
  }

  #verifyNew(token: string): SessionClaims {
    let claims: unknown;
    try {
      claims = this.#verifySignature(token);
    } catch (cause) {
      throw invalidToken(cause);
    }
    if (!isSessionClaims(claims)) throw invalidToken();
    if (this.#verified.size >= TOKEN_CACHE_ENTRIES_MAX) this.#verified.clear();
    this.#verified.set(token, claims);
    return claims;
  }
}

export interface IssuedSession {
  readonly token: string;
  /** ISO 8601 UTC. */
  readonly expiresAt: string;
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

function isSessionClaims(value: unknown): value is SessionClaims {
  if (typeof value !== 'object' || value === null) return false;
  const claims: Partial<Record<keyof SessionClaims, unknown>> = value;
  return (
    claims.kind === 'session' &&
    typeof claims.sub === 'string' &&
    typeof claims.name === 'string' &&
    typeof claims.sid === 'string' &&
    typeof claims.beganAt === 'number' &&
    typeof claims.exp === 'number'
  );
}
