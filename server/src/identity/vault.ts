import { Problem } from '#base/problem.ts';

/**
 * Secrets at rest, read on the main thread only; written through a commit (`CommitRequest.vault`).
 */
export interface VaultReader {
  /** The newest value, or undefined. The bytes are the caller's own. */
  get(key: string): Uint8Array | undefined;
  /** The newest records whose keys begin so, by key. */
  list(prefix: string): VaultEntry[];
}

export interface VaultEntry {
  readonly key: string;
  readonly value: Uint8Array;
}

/** A record as `CommitRequest.vault` takes it; null deletes. */
export interface VaultWrite {
  readonly key: string;
  readonly value: string | null;
}

export function vaultRecord(key: string, record: object): VaultWrite {
  return { key, value: Buffer.from(JSON.stringify(record), 'utf8').toString('base64') };
}

/** A record of the vault; the problem `storage_failed` when it is not what it should be. */
export function parseRecord<T>(
  key: string,
  value: Uint8Array,
  isRecord: (record: object) => record is T & object,
): T {
  const record: unknown = JSON.parse(Buffer.from(value).toString('utf8'));
  if (typeof record === 'object' && record !== null && isRecord(record)) return record;
  throw new Problem('storage_failed', `the vault's record ${key} is not readable`);
}

/** The record of a user's password and sessions; times in milliseconds since the Unix epoch. */
export interface Credential {
  /** PHC string of argon2id; null without a password. */
  readonly passwordHash: string | null;
  readonly changedAt: number;
  /** Sessions that began before this are over, */
  readonly sessionsNotBefore: number;
  /** but for this one: the session in which the password was changed. */
  readonly keptSession: string | null;
}

export function credentialKey(userUid: string): string {
  return `credential/${userUid}`;
}

export function readCredential(vault: VaultReader, userUid: string): Credential | undefined {
  const key = credentialKey(userUid);
  const value = vault.get(key);
  return value && parseRecord(key, value, isCredential);
}

export function writeCredential(userUid: string, record: Credential): VaultWrite {
  return vaultRecord(credentialKey(userUid), record);
}

function isCredential(record: Partial<Record<keyof Credential, unknown>>): record is Credential {
  return (
    (record.passwordHash === null || typeof record.passwordHash === 'string') &&
    typeof record.changedAt === 'number' &&
    typeof record.sessionsNotBefore === 'number' &&
    (record.keptSession === null || typeof record.keptSession === 'string')
  );
}

/**
 * The revocation list: one record of the vault for each session or token that ended before its
 * time. It is kept until the token would have expired anyway; `untilMs` null is for ever.
 */
const PREFIX = 'revoked/';

export function isRevoked(vault: VaultReader, id: string): boolean {
  return vault.get(PREFIX + id) !== undefined;
}

/**
 * `id` is the id of a token, or the `sid` of a session. Times in milliseconds since the Unix epoch.
 */
export function revocation(id: string, atMs: number, untilMs: number | null): VaultWrite {
  return vaultRecord(PREFIX + id, { atMs, untilMs });
}

/** Removes what has run out. */
export function endedRevocations(vault: VaultReader, nowMs: number): VaultWrite[] {
  return vault
    .list(PREFIX)
    .filter(({ key, value }) => {
      const { untilMs } = parseRecord(key, value, isRevocation);
      return untilMs !== null && untilMs <= nowMs;
    })
    .map(({ key }) => ({ key, value: null }));
}

interface Revocation {
  readonly atMs: number;
  readonly untilMs: number | null;
}

function isRevocation(record: Partial<Record<keyof Revocation, unknown>>): record is Revocation {
  return (
    typeof record.atMs === 'number' &&
    (record.untilMs === null || typeof record.untilMs === 'number')
  );
}
