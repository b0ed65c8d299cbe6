import { createHash } from 'node:crypto';
import { parseRecord, vaultRecord, type VaultReader, type VaultWrite } from './vault.ts';

const PREFIX = 'reset/';

/** What is kept of a reset link until it is used. Times in milliseconds since the Unix epoch. */
export interface StoredReset {
  readonly userUid: string;
  readonly issuedMs: number;
  readonly expiresMs: number;
  /** The address that it was mailed to; null when an administrator made it. */
  readonly email: string | null;
}

export function readReset(vault: VaultReader, token: string): StoredReset | undefined {
  const key = resetKey(token);
  const value = vault.get(key);
  return value && parseRecord(key, value, isStoredReset);
}

export function resetRecord(token: string, reset: StoredReset): VaultWrite {
  return vaultRecord(resetKey(token), reset);
}

/** Removes the record of a token. */
export function usedReset(token: string): VaultWrite {
  return { key: resetKey(token), value: null };
}

/** Removes what has run out. */
export function endedResets(vault: VaultReader, nowMs: number): VaultWrite[] {
  return vault
    .list(PREFIX)
    .filter(({ key, value }) => parseRecord(key, value, isStoredReset).expiresMs <= nowMs)
    .map(({ key }) => ({ key, value: null }));
}

/** Whoever reads the vault cannot use what is in it. */
function resetKey(token: string): string {
  return PREFIX + createHash('sha256').update(token).digest('hex');
}

function isStoredReset(record: Partial<Record<keyof StoredReset, unknown>>): record is StoredReset {
  return (
    typeof record.userUid === 'string' &&
    typeof record.issuedMs === 'number' &&
    typeof record.expiresMs === 'number' &&
    (record.email === null || typeof record.email === 'string')
  );
}
