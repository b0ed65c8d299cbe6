import type { Caller } from '#access/caller.ts';
import type { Claims } from './token-claims.ts';
import type { UserRecord } from './users.ts';

/** UID of the user whom a token signs in or acts as; null for a system-scoped one. */
export function userUidOf(claims: Claims): string | null {
  return claims.kind === 'session' ? claims.sub : (claims.actingUser ?? null);
}

/** What the revocation list knows a token by. */
export function tokenIdOf(claims: Claims): string {
  return claims.kind === 'session' ? claims.sid : claims.id;
}

/**
 * The caller of a token: what the token carries, and of its user, if any, what the live record says. What a kind may call
 * is decided by the kind, never by the rights of the user it acts as.
 */
export function callerOf(claims: Claims, user: UserRecord | null): Caller {
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
  };
}
