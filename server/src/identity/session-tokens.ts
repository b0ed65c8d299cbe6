import type { IssuedSession } from '@trellis/contract/shapes/sso.ts';
import type { Clock } from '#base/clock.ts';
import { SESSION_TEAMS_MAX } from '#base/limits.ts';
import { SESSION_LIFETIME_MS } from '#base/sign-in-limits.ts';
import { ISSUER } from './token-claims.ts';
import type { TokenSignature } from './token-signature.ts';

/** The token of a new session (open-shapes, section 3: twelve hours). `sid` identifies it. */
export function issueSession(
  signature: TokenSignature,
  clock: Clock,
  user: { readonly uid: string; readonly name: string; readonly teams: readonly string[] },
  sid: string,
): IssuedSession {
  const beganAt = clock.now();
  const exp = Math.floor((beganAt + SESSION_LIFETIME_MS) / 1_000);
  const token = signature.sign({
    iss: ISSUER,
    kind: 'session',
    sub: user.uid,
    name: user.name,
    teams: user.teams.slice(0, SESSION_TEAMS_MAX),
    sid,
    beganAt,
    iat: Math.floor(beganAt / 1_000),
    exp,
  });
  return { token, expiresAt: new Date(exp * 1_000).toISOString() };
}
