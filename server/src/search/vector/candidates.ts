import { BestHeap } from './best-heap.ts';

/** Slots of all shards in one number: what a `Candidates` holds. */
const SLOTS_PER_SHARD_MAX = 2 ** 32;

export interface Candidate {
  readonly shard: number;
  readonly slot: number;
  readonly similarity: number;
}

/** The most similar slots of all shards seen so far, up to a number. */
export class Candidates {
  readonly #heap = new BestHeap();
  #sizeMax = 0;

  clear(sizeMax: number): void {
    this.#heap.clear();
    this.#sizeMax = sizeMax;
  }

  get isFull(): boolean {
    return this.#heap.size === this.#sizeMax;
  }

  /** What is not more similar than this does not get in. */
  get threshold(): number {
    return this.isFull ? -this.#heap.firstKey : -Infinity;
  }

  offer(shard: number, slot: number, similarity: number): void {
    const value = shard * SLOTS_PER_SHARD_MAX + slot;
    if (!this.isFull) this.#heap.push(-similarity, value);
    else if (similarity > -this.#heap.firstKey) this.#heap.replaceFirst(-similarity, value);
  }

  /** In no order. */
  list(): Candidate[] {
    const list: Candidate[] = [];
    this.#heap.forEach((key, value) => {
      const shard = Math.floor(value / SLOTS_PER_SHARD_MAX);
      list.push({ shard, slot: value - shard * SLOTS_PER_SHARD_MAX, similarity: -key });
    });
    return list;
  }
}
