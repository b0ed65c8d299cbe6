/**
 * The ids of nodes that were written or referred to lately, by type and key: it spares the digest
 * of a key and a read of the state. It holds nodes that exist only; who deletes one removes it
 * here.
 *
 * Two generations bound it: when the young one is full it becomes the old one, and what is found
 * there comes back.
 */
export class IdCache {
  readonly #generationMax: number;
  #young: (Map<string, number> | undefined)[] = [];
  #old: (Map<string, number> | undefined)[] = [];
  #youngSize = 0;

  constructor(entriesMax: number) {
    this.#generationMax = Math.max(1, Math.floor(entriesMax / 2));
  }

  /** 0 when it is not known. */
  get(type: number, key: string): number {
    const young = this.#young[type]?.get(key);
    if (young !== undefined) return young;
    const old = this.#old[type]?.get(key);
    if (old === undefined) return 0;
    this.set(type, key, old);
    return old;
  }

  set(type: number, key: string, id: number): void {
    if (this.#youngSize >= this.#generationMax) {
      this.#old = this.#young;
      this.#young = [];
      this.#youngSize = 0;
    }
    (this.#young[type] ??= new Map()).set(key, id);
    this.#youngSize++;
  }

  delete(type: number, key: string): void {
    this.#young[type]?.delete(key);
    this.#old[type]?.delete(key);
  }

  clear(): void {
    this.#young = [];
    this.#old = [];
    this.#youngSize = 0;
  }
}
