import { parseRecord, vaultRecord, type VaultReader, type VaultWrite } from './vault.ts';

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
