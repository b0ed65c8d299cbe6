/**
 * A binary heap of (key, value) pairs, largest key first. Candidates have their similarity as key,
 * or its negative when the least similar is to be dropped. Its arrays are reused.
 */
export class BestHeap {
  #keys: Float64Array;
  #values: Float64Array;
  #size = 0;

  constructor(capacity = 256) {
    this.#keys = new Float64Array(capacity);
    this.#values = new Float64Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  /** The largest key; there is one. */
  get firstKey(): number {
    return this.#keys[0]!;
  }

  get firstValue(): number {
    return this.#values[0]!;
  }

  clear(): void {
    this.#size = 0;
  }

  push(key: number, value: number): void {
    if (this.#size === this.#keys.length) this.#grow();
    const keys = this.#keys;
    const values = this.#values;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (keys[parent]! >= key) break;
      keys[at] = keys[parent]!;
      values[at] = values[parent]!;
      at = parent;
    }
    keys[at] = key;
    values[at] = value;
  }

  /** Removes the first. */
  pop(): void {
    this.#size--;
    if (this.#size > 0) this.#sink(this.#keys[this.#size]!, this.#values[this.#size]!);
  }

  /** Puts a pair in the place of the first. */
  replaceFirst(key: number, value: number): void {
    this.#sink(key, value);
  }

  /** All pairs in no order. */
  forEach(visit: (key: number, value: number) => void): void {
    for (let i = 0; i < this.#size; i++) visit(this.#keys[i]!, this.#values[i]!);
  }

  #sink(key: number, value: number): void {
    const keys = this.#keys;
    const values = this.#values;
    const size = this.#size;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && keys[child + 1]! > keys[child]!) child++;
      if (keys[child]! <= key) break;
      keys[at] = keys[child]!;
      values[at] = values[child]!;
      at = child;
    }
    keys[at] = key;
    values[at] = value;
  }

  #grow(): void {
    const keys = new Float64Array(this.#keys.length * 2);
    const values = new Float64Array(keys.length);
    keys.set(this.#keys);
    values.set(this.#values);
    this.#keys = keys;
    this.#values = values;
  }
}

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

  /** Slots must be more similar than this to get in. */
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
