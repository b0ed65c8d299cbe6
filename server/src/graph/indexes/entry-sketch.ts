import { DERIVED_SKETCH_BUCKETS } from '#base/limits.ts';

/** Odd numbers whose bits are well mixed: those of FNV and of MurmurHash. */
const MULTIPLIERS = { one: 0x01000193, other: 0x85ebca6b, last: 0xc2b2ae35 };

/**
 * What two collections of entries differ in, in a fixed amount of memory: each entry falls into a
 * bucket by its hash, is added there when it is wanted, and taken away when it is found. Buckets
 * that are not empty in the end have entries that only one collection has. The order of entries
 * does not matter. A bucket hides a difference with a chance of one in 2^48.
 */
export class EntrySketch {
  readonly #sums = new Uint32Array(DERIVED_SKETCH_BUCKETS);
  readonly #others = new Uint32Array(DERIVED_SKETCH_BUCKETS);
  /** Wanted ones less found ones. */
  readonly #surplus = new Int32Array(DERIVED_SKETCH_BUCKETS);
  readonly #wanted = new Uint32Array(DERIVED_SKETCH_BUCKETS);
  readonly #hash = new EntryHash();

  want(db: number, bytes: Uint8Array, start: number, end: number, id: number): void {
    const bucket = this.#hash.of(db, bytes, start, end, id);
    this.#sums[bucket]! += this.#hash.one;
    this.#others[bucket]! += this.#hash.other;
    this.#surplus[bucket]! += 1;
    this.#wanted[bucket]! += 1;
  }

  find(db: number, bytes: Uint8Array, start: number, end: number, id: number): void {
    const bucket = this.#hash.of(db, bytes, start, end, id);
    this.#sums[bucket]! -= this.#hash.one;
    this.#others[bucket]! -= this.#hash.other;
    this.#surplus[bucket]! -= 1;
  }

  differing(): DifferingBucket[] {
    const differing: DifferingBucket[] = [];
    for (let bucket = 0; bucket < DERIVED_SKETCH_BUCKETS; bucket++) {
      if (this.#sums[bucket] === 0 && this.#others[bucket] === 0 && this.#surplus[bucket] === 0) {
        continue;
      }
      const differencesMin = Math.max(1, Math.abs(this.#surplus[bucket]!));
      differing.push({ bucket, wanted: this.#wanted[bucket]!, differencesMin });
    }
    return differing;
  }
}

export interface DifferingBucket {
  readonly bucket: number;
  /** Entries that are wanted in it. */
  readonly wanted: number;
  /** There are at least so many differences. */
  readonly differencesMin: number;
}

/** Two hashes of an entry, left in `one` and `other`. */
export class EntryHash {
  one = 0;
  other = 0;

  /** The bucket of an entry: of a database, with a key, and with an id for its value, or 0. */
  of(db: number, bytes: Uint8Array, start: number, end: number, id: number): number {
    const { one: a, other: b, last } = MULTIPLIERS;
    let one = Math.imul(db + 1, a);
    let other = Math.imul(db + 1, b);
    for (let i = start; i < end; i++) {
      const byte = bytes[i]!;
      one = Math.imul(one ^ byte, a);
      other = Math.imul((other << 5) ^ (other >>> 27) ^ byte, b);
    }
    const low = id >>> 0;
    const high = Math.floor(id / 0x1_0000_0000);
    one = Math.imul(one ^ low ^ Math.imul(high, last), b);
    other = Math.imul(other ^ Math.imul(low, last) ^ high, a);
    one = Math.imul(one ^ (one >>> 15) ^ other, last);
    one ^= one >>> 13;
    other = Math.imul(other ^ (other >>> 16), b);
    other ^= other >>> 13;
    this.one = one >>> 0;
    this.other = other >>> 0;
    return this.one % DERIVED_SKETCH_BUCKETS;
  }
}
