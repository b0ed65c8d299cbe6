const CHUNK_IDS = 65_536;
const WORD_BITS = 32;

/** A set of ids of nodes as bits: ids are dense numbers of at most 40 bits. */
export class IdSet {
  readonly #chunks: (Uint32Array | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(id: number): boolean {
    const chunk = this.#chunks[Math.floor(id / CHUNK_IDS)];
    if (chunk === undefined) return false;
    const bit = id % CHUNK_IDS;
    return (chunk[bit >>> 5]! & (1 << (bit & 31))) !== 0;
  }

  add(id: number): void {
    const at = Math.floor(id / CHUNK_IDS);
    const chunk = this.#chunkAt(at);
    const bit = id % CHUNK_IDS;
    const word = bit >>> 5;
    const mask = 1 << (bit & 31);
    if ((chunk[word]! & mask) !== 0) return;
    chunk[word] = chunk[word]! | mask;
    this.#size++;
  }

  delete(id: number): void {
    const chunk = this.#chunks[Math.floor(id / CHUNK_IDS)];
    if (chunk === undefined) return;
    const bit = id % CHUNK_IDS;
    const word = bit >>> 5;
    const mask = 1 << (bit & 31);
    if ((chunk[word]! & mask) === 0) return;
    chunk[word] = chunk[word]! & ~mask;
    this.#size--;
  }

  put(id: number, isIn: boolean): void {
    if (isIn) this.add(id);
    else this.delete(id);
  }

  addAll(other: IdSet): void {
    other.#chunks.forEach((from, at) => {
      if (from === undefined) return;
      const to = this.#chunkAt(at);
      for (let word = 0; word < to.length; word++) {
        const added = from[word]! & ~to[word]!;
        if (added === 0) continue;
        to[word] = to[word]! | added;
        this.#size += bitsOf(added);
      }
    });
  }

  /** How many of these are in none of the others. */
  countBeyond(...others: readonly IdSet[]): number {
    let count = 0;
    this.#chunks.forEach((chunk, at) => {
      if (chunk === undefined) return;
      const theirs = others.map((other) => other.#chunks[at]).filter((one) => one !== undefined);
      for (let word = 0; word < chunk.length; word++) {
        let beyond = chunk[word]!;
        for (const other of theirs) beyond &= ~other[word]!;
        if (beyond !== 0) count += bitsOf(beyond);
      }
    });
    return count;
  }

  /** In ascending order; the set must not change meanwhile. */
  *[Symbol.iterator](): Generator<number> {
    for (const [at, chunk] of this.#chunks.entries()) {
      if (chunk === undefined) continue;
      for (const [index, word] of chunk.entries()) {
        const first = at * CHUNK_IDS + index * WORD_BITS;
        // The lowest bit that is set, and then the rest.
        for (let left = word; left !== 0; left &= left - 1) {
          yield first + 31 - Math.clz32(left & -left);
        }
      }
    }
  }

  #chunkAt(at: number): Uint32Array {
    while (this.#chunks.length < at) this.#chunks.push(undefined);
    return (this.#chunks[at] ??= new Uint32Array(CHUNK_IDS / WORD_BITS));
  }
}

/** The number of ones in 32 bits (Warren, Hacker's Delight, 5-1). */
function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x5555_5555);
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
