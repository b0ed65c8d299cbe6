import type { NewToken } from '@trellis/contract/shapes/token.ts';
import { Problem } from '#base/problem.ts';
import { TOKEN_RULES } from './token-rules.ts';

/** What a token of the kind carries when it is made so; null where its kind has no such thing. */
export interface TokenContent {
  readonly scopes: readonly string[] | null;
  readonly path: string | null;
  readonly actingUser: string | null;
  /** Milliseconds since the Unix epoch, a whole second; null for never. */
  readonly expiresMs: number | null;
}

/**
 * The problem `invalid_request` unless the request has what its kind needs and nothing that it does
 * not take.
 */
export function contentOf(request: NewToken, nowMs: number): TokenContent {
  const { kind } = request;
  const rule = TOKEN_RULES[kind];
  for (const member of ['scopes', 'path', 'actingUser'] as const) {
    if (!isNone(request[member]) && rule[member] === undefined) {
      throw invalid(member, `is not for a token of kind "${kind}"`);
    }
  }
  const scopes = request.scopes ?? rule.scopes ?? null;
  if (rule.scopes !== undefined && (scopes === null || scopes.length === 0)) {
    throw invalid('scopes', `must name at least one scope for a token of kind "${kind}"`);
  }
  if (rule.actingUser === 'required' && isNone(request.actingUser)) {
    throw invalid('actingUser', `must be the UID of a user for a token of kind "${kind}"`);
  }
  return {
    scopes: scopes && [...new Set(scopes)],
    path: rule.path === undefined ? null : (request.path ?? ''),
    actingUser: request.actingUser ?? null,
    expiresMs:
      request.expiresAt === undefined || request.expiresAt === null
        ? null
        : expiry(request.expiresAt, nowMs),
  };
}

/** Null and no scopes are how a token is listed that has none. */
function isNone(member: string | readonly string[] | null | undefined): boolean {
  return member === undefined || member === null || (Array.isArray(member) && member.length === 0);
}

export function unknownActingUser(): Problem {
  return invalid('actingUser', 'must be the UID of an active user');
}

/** Claims know whole seconds: a token does not outlive the time that was asked for. */
function expiry(expiresAt: string, nowMs: number): number {
  const expiresMs = Math.floor(Date.parse(expiresAt) / 1_000) * 1_000;
  if (expiresMs > nowMs) return expiresMs;
  throw invalid('expiresAt', 'must be a time in the future');
}

function invalid(path: string, message: string): Problem {
  return new Problem('invalid_request', `body, ${path}: ${message}`, {
    details: { fields: [{ path, message }] },
  });
}
