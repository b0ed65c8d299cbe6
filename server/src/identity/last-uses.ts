import type { CommitPort } from '#graph/operations.ts';
import { parseRecord, vaultRecord, type VaultReader, type VaultWrite } from './vault.ts';

export const TOKEN_USES = 'token-use/';
export const SECRET_USES = 'endpoint-secret-use/';

/**
 * When one thing was used last, in milliseconds since the Unix epoch; 0 for not since the start.
 */
export interface LastUse {
  atMs: number;
}

/**
 * The last use of each thing of one kind, such as tokens, by its id: a number in memory, written to
 * the vault now and then. So it costs a request nothing, and what a crash loses is at most what was
 * not written yet.
 */
export class LastUses {
  readonly #vault: VaultReader;
  readonly #prefix: string;
  readonly #uses = new Map<string, Use>();

  /** What the keys of the records in the vault begin with. */
  constructor(vault: VaultReader, prefix: typeof TOKEN_USES | typeof SECRET_USES) {
    this.#vault = vault;
    this.#prefix = prefix;
  }

  /** The object that holds the last use of one: whoever sees it used sets the time. */
  of(id: string): LastUse {
    let use = this.#uses.get(id);
    if (use === undefined) {
      use = { atMs: 0, writtenMs: 0 };
      this.#uses.set(id, use);
    }
    return use;
  }

  lastUsedMs(id: string): number | null {
    const inMemory = this.#uses.get(id)?.atMs ?? 0;
    if (inMemory > 0) return inMemory;
    const key = this.#prefix + id;
    const value = this.#vault.get(key);
    return value === undefined ? null : parseRecord(key, value, isUse).atMs;
  }

  /** For a commit in which the thing itself goes. */
  forget(id: string): VaultWrite {
    this.#uses.delete(id);
    return { key: this.#prefix + id, value: null };
  }

  /**
   * Writes what has changed since the last time, with other records in the same commit; without any
   * there is none.
   */
  async flush(commits: CommitPort, others: readonly VaultWrite[]): Promise<void> {
    const changed = [...this.#uses].filter(([, { atMs, writtenMs }]) => atMs > writtenMs);
    const records = changed.map(([id, { atMs }]) => vaultRecord(this.#prefix + id, { atMs }));
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
