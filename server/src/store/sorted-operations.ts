import { releaseMemory } from '#base/release-memory.ts';
import { readWord } from './bytes.ts';
import { DB, type DatabaseNumber } from './databases.ts';

/**
 * The databases whose keys come in no order: where the four bytes are by which keys are sorted.
 * They are those that differ between keys of one load: the seconds of a time, the lower half of an
 * id, the beginning of a value or a digest.
 */
const SORTED_AT: readonly (readonly [DatabaseNumber, number])[] = [
  [DB.uids, 0],
  [DB.types, 3],
  [DB.out, 1],
  [DB.in, 1],
  [DB.uniques, 2],
  [DB.indexes, 2],
];

/** By database number: 1 and more; 0 where keys come in order, or few at once. */
const RANKS = new Uint8Array(256);
const STARTS = new Uint8Array(256);
for (const [i, [db, at]] of SORTED_AT.entries()) {
  RANKS[db] = i + 1;
  STARTS[db] = at;
}
/** There are this many ranks. Those that are left keep the entries of up to ten indexes apart. */
const RANKS_MAX = 16;
const RANK_OF_INDEXES = SORTED_AT.length;

const OPERATIONS_MAX = 131_072;
const OPERATIONS_FIRST = 4_096;

/** Operations are sorted by this many bits at a time. */
const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;
const WORD_BITS = 32;

const PAYLOAD = 0;
const DATABASE = 1;
const KEY_START = 2;
const KEY_END = 3;
const VALUE_END = 4;
const FIELDS = 5;

/** `valueStart` is -1 for a delete. */
export type SortedVisitor = (
  payload: Uint8Array,
  db: DatabaseNumber,
  keyStart: number,
  keyEnd: number,
  valueStart: number,
  valueEnd: number,
) => void;

/**
 * Puts operations of large groups of commits into about the order of their keys. LMDB then works on
 * neighboring keys one after the other, while their page is in the processor's cache. Operations on
 * one key stay in their order.
 */
export class SortedOperations {
  readonly #visit: SortedVisitor;
  #payloads: Uint8Array[] = [];
  /** By operation. */
  #ranks = new Uint32Array(OPERATIONS_FIRST);
  #words = new Uint32Array(OPERATIONS_FIRST);
  /** Numbers of operations, and room to move them to. */
  #order = new Uint32Array(OPERATIONS_FIRST);
  #spare = new Uint32Array(OPERATIONS_FIRST);
  readonly #starts = new Uint32Array(DIGITS);
  #operations = new Int32Array(OPERATIONS_FIRST * FIELDS);
  #count = 0;

  /** `visit` is called with each operation, when many are here and at `flush`. */
  constructor(visit: SortedVisitor) {
    this.#visit = visit;
  }

  /** Takes an operation; false when the database needs no order. */
  add(
    payload: Uint8Array,
    db: DatabaseNumber,
    keyStart: number,
    keyEnd: number,
    valueStart: number,
    valueEnd: number,
  ): boolean {
    const rank = RANKS[db]!;
    if (rank === 0) return false;
    if (this.#count === OPERATIONS_MAX) this.flush();
    if (this.#count === this.#words.length) this.#grow();
    if (this.#payloads.at(-1) !== payload) this.#payloads.push(payload);
    const operation = this.#count++;
    const at = operation * FIELDS;
    this.#operations[at + PAYLOAD] = this.#payloads.length - 1;
    this.#operations[at + DATABASE] = db;
    this.#operations[at + KEY_START] = keyStart;
    this.#operations[at + KEY_END] = keyEnd;
    this.#operations[at + VALUE_END] = valueStart < 0 ? -1 : valueEnd;
    const start = keyStart + STARTS[db]!;
    const isLong = start + 4 <= keyEnd;
    // Equal keys have equal words, whatever follows them: so a short key has none of its own.
    this.#words[operation] = isLong ? readWord(payload, start) : 0;
    this.#ranks[operation] =
      isLong && rank === RANK_OF_INDEXES ? rankOfIndex(payload[start - 1]!) : rank;
    return true;
  }

  /** Visits all that is here. */
  flush(): void {
    // Small groups come all the time, and have nothing here.
    if (this.#count === 0) return;
    this.#sort();
    const operations = this.#operations;
    for (let i = 0; i < this.#count; i++) {
      const at = this.#order[i]! * FIELDS;
      const keyEnd = operations[at + KEY_END]!;
      const valueEnd = operations[at + VALUE_END]!;
      this.#visit(
        this.#payloads[operations[at + PAYLOAD]!]!,
        operations[at + DATABASE] as DatabaseNumber,
        operations[at + KEY_START]!,
        keyEnd,
        valueEnd < 0 ? -1 : keyEnd,
        valueEnd,
      );
    }
    this.#count = 0;
    this.#payloads = [];
  }

  /** Forgets all that is here. */
  clear(): void {
    this.#count = 0;
    this.#payloads = [];
  }

  /** By rank, then by word, then by number: a radix sort, from the last digit to the first. */
  #sort(): void {
    for (let i = 0; i < this.#count; i++) this.#order[i] = i;
    for (let shift = 0; shift < WORD_BITS; shift += DIGIT_BITS) this.#sortBy(this.#words, shift);
    this.#sortBy(this.#ranks, 0);
  }

  /** By one digit; what has the same one stays in its order. */
  #sortBy(values: Uint32Array, shift: number): void {
    const count = this.#count;
    const starts = this.#starts.fill(0);
    for (let i = 0; i < count; i++) starts[(values[i]! >>> shift) & (DIGITS - 1)]!++;
    if (starts[(values[0]! >>> shift) & (DIGITS - 1)] === count) return;
    for (let digit = 0, start = 0; digit < DIGITS; digit++) {
      const next = start + starts[digit]!;
      starts[digit] = start;
      start = next;
    }
    const from = this.#order;
    const to = this.#spare;
    for (let i = 0; i < count; i++) {
      const operation = from[i]!;
      to[starts[(values[operation]! >>> shift) & (DIGITS - 1)]!++] = operation;
    }
    this.#order = to;
    this.#spare = from;
  }

  #grow(): void {
    const size = this.#words.length * 2;
    for (const { buffer } of [this.#order, this.#spare]) releaseMemory(new Uint8Array(buffer));
    this.#ranks = grown(this.#ranks, size);
    this.#words = grown(this.#words, size);
    this.#order = new Uint32Array(size);
    this.#spare = new Uint32Array(size);
    const operations = new Int32Array(size * FIELDS);
    operations.set(this.#operations);
    releaseMemory(new Uint8Array(this.#operations.buffer));
    this.#operations = operations;
  }
}

function grown(values: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(size);
  larger.set(values);
  releaseMemory(new Uint8Array(values.buffer));
  return larger;
}

function rankOfIndex(index: number): number {
  return RANK_OF_INDEXES + (index % (RANKS_MAX - RANK_OF_INDEXES));
}
