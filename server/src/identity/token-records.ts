import { tryParseUid } from '#base/uid.ts';
import { isTokenKind, type TokenKind } from './token-rules.ts';
import { parseRecord, vaultRecord, type VaultReader, type VaultWrite } from './vault.ts';

const PREFIX = 'token/';

/** What is kept of a token, its value excepted. Times in milliseconds since the Unix epoch. */
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

export function tokenRecord(token: StoredToken): VaultWrite {
  return vaultRecord(PREFIX + token.id, token);
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
    isNullOr('number', record.revokedMs)
  );
}

function isNullOr(type: 'string' | 'number', value: unknown): boolean {
  return value === null || typeof value === type;
}
