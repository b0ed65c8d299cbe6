import { copyBytes } from '#store/bytes.ts';
import { KeyScratch } from '#store/batch.ts';
import { DB } from '#store/databases.ts';
import type { WriteBatch } from '#store/key-value.ts';

const NOTHING = new Uint8Array(0);
const ENTRIES_FIRST = 1_024;
const ENTRY_BYTES_EXPECTED = 32;
/** A number holds so many bytes exactly. */
const HEAD_BYTES = 6;
/** The number of the index, with which all keys of a run begin. */
const INDEX_BYTES = 2;

/** Keys of entries of one index, which are put in their order: LMDB takes them faster then. */
export class EntryRun {
  #bytes = Buffer.allocUnsafeSlow(ENTRIES_FIRST * ENTRY_BYTES_EXPECTED);
  #length = 0;
  /** Where each key ends; it begins where the one before it ends. */
  #ends = new Uint32Array(ENTRIES_FIRST);
  /** The first bytes of each key after the index as a number, which decides nearly every time. */
  #heads = new Float64Array(ENTRIES_FIRST);
  readonly #scratch = new KeyScratch();
  count = 0;

  add(key: Uint8Array): void {
    this.#reserve(key.length);
    copyBytes(key, 0, key.length, this.#bytes, this.#length);
    let head = 0;
    // A key that is shorter ends with 0s: what is equal so far is compared as a whole.
    for (let i = 0; i < HEAD_BYTES; i++) head = head * 256 + (key[INDEX_BYTES + i] ?? 0);
    this.#length += key.length;
    this.#ends[this.count] = this.#length;
    this.#heads[this.count++] = head;
  }

  put(batch: WriteBatch): void {
    const order = new Uint32Array(this.count);
    for (let i = 0; i < this.count; i++) order[i] = i;
    const heads = this.#heads;
    order.sort((a, b) => heads[a]! - heads[b]! || this.#compare(a, b));
    for (const entry of order) {
      const key = this.#scratch.copy(this.#bytes, this.#start(entry), this.#ends[entry]!);
      batch.put(DB.indexes, key, NOTHING);
    }
  }

  #compare(a: number, b: number): number {
    const bytes = this.#bytes;
    return bytes.compare(bytes, this.#start(b), this.#ends[b]!, this.#start(a), this.#ends[a]!);
  }

  #start(entry: number): number {
    return entry === 0 ? 0 : this.#ends[entry - 1]!;
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes > this.#bytes.length) {
      const size = Math.max(this.#length + bytes, this.#bytes.length * 2);
      const grown = Buffer.allocUnsafeSlow(size);
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    if (this.count < this.#ends.length) return;
    const ends = new Uint32Array(this.count * 2);
    ends.set(this.#ends);
    this.#ends = ends;
    const heads = new Float64Array(this.count * 2);
    heads.set(this.#heads);
    this.#heads = heads;
  }
}
