import type { Clock } from '#base/clock.ts';
import { TOKEN_CACHE_ENTRIES_MAX } from '#base/limits.ts';
import type { Caller } from '#access/caller.ts';
import type { GraphReader } from '#graph/reader.ts';
import {
  type Claims,
  invalidToken,
  type SessionClaims,
  type TokenSignature,
} from './token-claims.ts';
import type { LastUse, LastUses } from './last-uses.ts';
import { endedWithSessions } from './stored-tokens.ts';
import { findUser, type UserRecord } from './users.ts';
import { isRevoked, readCredential, type VaultReader } from './vault.ts';

export interface AuthenticatorParts {
  readonly reader: GraphReader;
  readonly vault: VaultReader;
  readonly clock: Clock;
  readonly signature: TokenSignature;
  readonly uses: LastUses;
}

/**
 * Who asks. A signature is checked once for each token, expiry for each request, and what a commit
 * can change (revocation, the user, the user's password) again as soon as there is a newer commit:
 * a request with a token seen before costs one look-up.
 */
export class TokenAuthenticator {
  readonly #parts: AuthenticatorParts;
  readonly #known = new Map<string, KnownToken>();
  /** The tokens of callers that were handed out and are still in use. */
  readonly #tokens = new WeakMap<Caller, KnownToken>();

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
  }

  /**
   * The caller behind a bearer token, the same object as long as nothing about it has changed; or
   * the problem `invalid_token`.
   */
  authenticate(token: string): Caller {
    const nowMs = this.#parts.clock.now();
    const known = this.#verified(token, nowMs);
    const sequence = this.#parts.reader.refresh();
    if (known.sequence !== sequence) this.#renew(known, sequence);
    known.use.atMs = nowMs;
    return known.caller;
  }

  /**
   * The caller of a request as they are now, or the problem `invalid_token`. One that was made of
   * another, and has no token of its own, is looked up by its user.
   */
  again(caller: Caller): Caller {
    const known = this.#tokens.get(caller);
    if (known === undefined) return this.#userAgain(caller);
    if (known.expiresMs <= this.#parts.clock.now()) throw invalidToken();
    const sequence = this.#parts.reader.refresh();
    if (known.sequence !== sequence) this.#renew(known, sequence);
    return known.caller;
  }

  #userAgain(caller: Caller): Caller {
    if (caller.userUid === null) return caller;
    this.#parts.reader.refresh();
    const user = findUser(this.#parts.reader, caller.userUid);
    if (user?.active !== true) throw invalidToken();
    const { isAdmin, isReadOnlyAdmin, isGuest, roles } = user;
    return { ...caller, isAdmin, isReadOnlyAdmin, isGuest, roles };
  }

  /**
   * Throws `invalid_token` for what no commit can change: it was not signed here, or has expired.
   */
  verify(token: string): void {
    this.#verified(token, this.#parts.clock.now());
  }

  #verified(token: string, nowMs: number): KnownToken {
    const known = this.#known.get(token) ?? this.#meet(token);
    if (known.expiresMs <= nowMs) throw invalidToken();
    return known;
  }

  #meet(token: string): KnownToken {
    const claims = this.#parts.signature.open(token);
    const known = {
      claims,
      expiresMs: claims.exp === undefined ? Infinity : claims.exp * 1_000,
      use: claims.kind === 'session' ? { atMs: 0 } : this.#parts.uses.of(claims.id),
      caller: callerOf(claims, null),
      sequence: -1,
      userId: -1,
      userVersion: -1,
    };
    if (this.#known.size >= TOKEN_CACHE_ENTRIES_MAX) this.#forgetOldest();
    this.#known.set(token, known);
    this.#tokens.set(known.caller, known);
    return known;
  }

  #forgetOldest(): void {
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }

  /** Until this has passed without a problem, the caller is not handed out. */
  #renew(known: KnownToken, sequence: number): void {
    const { claims } = known;
    const { vault } = this.#parts;
    if (isRevoked(vault, tokenIdOf(claims))) throw invalidToken();
    if (claims.kind === 'session' && hasEnded(claims, vault)) throw invalidToken();
    const userUid = userUidOf(claims);
    if (claims.kind !== 'session' && userUid !== null && claims.beganAt !== undefined) {
      const { beganAt } = claims;
      if (endedWithSessions(vault, userUid, { beganAt })) throw invalidToken();
    }
    if (userUid !== null) this.#renewUser(known, userUid);
    known.sequence = sequence;
  }

  #renewUser(known: KnownToken, userUid: string): void {
    const { reader } = this.#parts;
    const id = reader.id({ uid: userUid });
    const version = id === undefined ? undefined : reader.version(id);
    if (id === known.userId && version === known.userVersion) return;
    const user = findUser(reader, userUid);
    if (id === undefined || version === undefined || user?.active !== true) throw invalidToken();
    known.caller = callerOf(known.claims, user);
    this.#tokens.set(known.caller, known);
    known.userId = id;
    known.userVersion = version;
  }
}

interface KnownToken {
  readonly claims: Claims;
  /** Milliseconds since the Unix epoch. */
  readonly expiresMs: number;
  readonly use: LastUse;
  caller: Caller;
  /** The commit at which it was last looked at. */
  sequence: number;
  /** The record of the user that `caller` was made of. */
  userId: number;
  userVersion: number;
}

/** Whether a change of the password has ended the session. */
function hasEnded(claims: SessionClaims, vault: VaultReader): boolean {
  const credential = readCredential(vault, claims.sub);
  return (
    credential !== undefined &&
    claims.beganAt <= credential.sessionsNotBefore &&
    claims.sid !== credential.keptSession
  );
}

/** UID of the user whom a token signs in or acts as; null for a system-scoped one. */
function userUidOf(claims: Claims): string | null {
  return claims.kind === 'session' ? claims.sub : (claims.actingUser ?? null);
}

/** The id under which the revocation list knows a token. */
function tokenIdOf(claims: Claims): string {
  return claims.kind === 'session' ? claims.sid : claims.id;
}

/**
 * The caller of a token: what the token carries, and of its user, if any, what the live record
 * says. What a kind may call is decided by the kind, never by the rights of the user it acts as.
 */
function callerOf(claims: Claims, user: UserRecord | null): Caller {
  return {
    kind: claims.kind,
    userUid: user?.uid ?? null,
    userName: user?.userName ?? null,
    isAdmin: user?.isAdmin ?? false,
    isReadOnlyAdmin: user?.isReadOnlyAdmin ?? false,
    isGuest: user?.isGuest ?? false,
    roles: user?.roles ?? [],
    scopes: claims.kind === 'session' ? [] : (claims.scopes ?? []),
    endpointPath: claims.kind === 'session' ? null : (claims.path ?? null),
    tokenId: tokenIdOf(claims),
    ...(claims.kind === 'session' || claims.aud === undefined ? {} : { resource: claims.aud }),
  };
}
