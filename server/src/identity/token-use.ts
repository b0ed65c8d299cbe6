import type { CommitPort } from '#graph/operations.ts';
import { parseRecord, vaultRecord, type VaultReader, type VaultWrite } from './vault.ts';

const PREFIX = 'token-use/';

/**
 * When one token was used last, in milliseconds since the Unix epoch; 0 for not since the start.
 */
export interface LastUse {
  atMs: number;
}

/**
 * The last use of each token: a number in memory, written to the vault now and then. So it costs a
 * request nothing, and what a crash loses is at most what was not written yet.
 */
export class TokenUse {
  readonly #vault: VaultReader;
  readonly #uses = new Map<string, Use>();

  constructor(vault: VaultReader) {
    this.#vault = vault;
  }

  /** The object that holds the last use of a token: whoever sees the token used sets the time. */
  of(tokenId: string): LastUse {
    let use = this.#uses.get(tokenId);
    if (use === undefined) {
      use = { atMs: 0, writtenMs: 0 };
      this.#uses.set(tokenId, use);
    }
    return use;
  }

  lastUsedMs(tokenId: string): number | null {
    const inMemory = this.#uses.get(tokenId)?.atMs ?? 0;
    if (inMemory > 0) return inMemory;
    const key = PREFIX + tokenId;
    const value = this.#vault.get(key);
    return value === undefined ? null : parseRecord(key, value, isUse).atMs;
  }

  /**
   * Writes what has changed since the last time, with other records in the same commit; without any
   * there is none.
   */
  async flush(commits: CommitPort, others: readonly VaultWrite[]): Promise<void> {
    const changed = [...this.#uses].filter(([, { atMs, writtenMs }]) => atMs > writtenMs);
    const records = changed.map(([id, { atMs }]) => vaultRecord(PREFIX + id, { atMs }));
    const vault = [...others, ...records];
    if (vault.length === 0) return;
    const written = changed.map(([, use]) => ({ use, atMs: use.atMs }));
    await commits.commit({ operations: [], system: true, vault });
    for (const { use, atMs } of written) use.writtenMs = atMs;
  }
}

interface Use extends LastUse {
  writtenMs: number;
}

function isUse(record: { readonly atMs?: unknown }): record is { readonly atMs: number } {
  return typeof record.atMs === 'number';
}
