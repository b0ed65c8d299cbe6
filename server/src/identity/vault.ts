import { Problem } from '#base/problem.ts';

/** Secrets at rest, read on the main thread only; written through a commit (`CommitRequest.vault`). */
export interface VaultReader {
  /** The newest value, or undefined. The bytes are the caller's own. */
  get(key: string): Uint8Array | undefined;
}

/** What is kept about a user's password and sessions; times in milliseconds since the Unix epoch. */
export interface Credential {
  /** PHC string of argon2id. */
  readonly passwordHash: string;
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
  const bytes = vault.get(credentialKey(userUid));
  if (bytes === undefined) return undefined;
  const record: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  if (!isCredential(record)) {
    throw new Problem('storage_failed', `the vault's record of user ${userUid} is not readable`);
  }
  return record;
}

export function writeCredential(
  userUid: string,
  record: Credential,
): { key: string; value: string } {
  return {
    key: credentialKey(userUid),
    value: Buffer.from(JSON.stringify(record), 'utf8').toString('base64'),
  };
}

function isCredential(value: unknown): value is Credential {
  if (typeof value !== 'object' || value === null) return false;
  const record: Partial<Record<keyof Credential, unknown>> = value;
  return (
    typeof record.passwordHash === 'string' &&
    typeof record.changedAt === 'number' &&
    typeof record.sessionsNotBefore === 'number' &&
    (record.keptSession === null || typeof record.keptSession === 'string')
  );
}
