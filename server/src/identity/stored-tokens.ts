import { tryParseUid } from '#base/uid.ts';
import type { TokenKind } from '@trellis/contract/rights.ts';
import { isTokenKind } from './token-claims.ts';
import {
  parseRecord,
  readCredential,
  revocation,
  type VaultReader,
  vaultRecord,
  type VaultWrite,
} from './vault.ts';

const PREFIX = 'token/';

/** The record of a token, without its value. Times in milliseconds since the Unix epoch. */
export interface StoredToken {
  readonly id: string;
  readonly kind: TokenKind;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly path: string | null;
  readonly actingUser: string | null;
  readonly createdBy: string;
  readonly createdMs: number;
  readonly expiresMs: number | null;
  readonly revokedMs: number | null;
  /** Of what a user has granted to an MCP client, which gets tokens that end soon. */
  readonly grant?: StoredGrant;
}

export interface StoredGrant {
  /** Id of the registration, and the name that the client gave itself. */
  readonly clientId: string;
  readonly clientName: string;
  /** URL of the MCP server that the tokens are for. */
  readonly resource: string;
  /** When the user agreed: sessions that end after it end the grant as well. */
  readonly beganAt: number;
  /** Counts the refresh tokens: only the last one is good. */
  readonly generation: number;
}

export function readToken(vault: VaultReader, id: string): StoredToken | undefined {
  // Anybody's text is asked for: what is no id of ours is no key of the vault either.
  if (tryParseUid(id) === undefined) return undefined;
  const key = PREFIX + id;
  const value = vault.get(key);
  return value && parseRecord(key, value, isStoredToken);
}

/** Every token, newest first. */
export function storedTokens(vault: VaultReader): StoredToken[] {
  return vault
    .list(PREFIX)
    .map(({ key, value }) => parseRecord(key, value, isStoredToken))
    .toSorted((a, b) => b.createdMs - a.createdMs || (a.id < b.id ? -1 : 1));
}

/** Revokes every token that acts as a user. */
export function endedTokens(vault: VaultReader, actingUser: string, nowMs: number): VaultWrite[] {
  return storedTokens(vault).flatMap((token) =>
    token.actingUser !== actingUser || token.revokedMs !== null
      ? []
      : [tokenRecord({ ...token, revokedMs: nowMs }), revocation(token.id, nowMs, token.expiresMs)],
  );
}

export function tokenRecord(token: StoredToken): VaultWrite {
  return vaultRecord(PREFIX + token.id, token);
}

export function deletedToken(id: string): VaultWrite {
  return { key: PREFIX + id, value: null };
}

/**
 * Whether it was revoked, or was granted in a time whose sessions are over: the user has changed
 * the password since, or was deactivated.
 */
export function isRevokedToken(
  vault: VaultReader,
  { revokedMs, grant, actingUser }: StoredToken,
): boolean {
  if (revokedMs !== null) return true;
  return grant !== undefined && actingUser !== null && endedWithSessions(vault, actingUser, grant);
}

/** Whether a client may still get access with it. */
export function isGoing(vault: VaultReader, token: StoredToken, nowMs: number): boolean {
  return !isRevokedToken(vault, token) && (token.expiresMs ?? 0) > nowMs;
}

/** Whether the sessions of this user that began with it, or before, are over. */
export function endedWithSessions(
  vault: VaultReader,
  userUid: string,
  { beganAt }: { readonly beganAt: number },
): boolean {
  const credential = readCredential(vault, userUid);
  return credential !== undefined && beganAt <= credential.sessionsNotBefore;
}

function isStoredToken(record: Partial<Record<keyof StoredToken, unknown>>): record is StoredToken {
  return (
    typeof record.id === 'string' &&
    isTokenKind(record.kind) &&
    typeof record.name === 'string' &&
    Array.isArray(record.scopes) &&
    isNullOr('string', record.path) &&
    isNullOr('string', record.actingUser) &&
    typeof record.createdBy === 'string' &&
    typeof record.createdMs === 'number' &&
    isNullOr('number', record.expiresMs) &&
    isNullOr('number', record.revokedMs) &&
    (record.grant === undefined || isGrant(record.grant))
  );
}

function isGrant(value: unknown): value is StoredGrant {
  if (typeof value !== 'object' || value === null) return false;
  const grant: Partial<Record<keyof StoredGrant, unknown>> = value;
  return (
    typeof grant.clientId === 'string' &&
    typeof grant.clientName === 'string' &&
    typeof grant.resource === 'string' &&
    typeof grant.beganAt === 'number' &&
    typeof grant.generation === 'number'
  );
}

function isNullOr(type: 'string' | 'number', value: unknown): boolean {
  return value === null || typeof value === type;
}
