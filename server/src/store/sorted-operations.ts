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
/** Ranks have four bits. Those that are left keep the entries of up to ten indexes apart. */
const RANKS_MAX = 16;
const RANK_OF_INDEXES = SORTED_AT.length;

/** A place is rank, four bytes of the key, and the operation's number: 53 bits, as numbers have. */
const OPERATION_BITS = 17;
const OPERATIONS_MAX = 2 ** OPERATION_BITS;
const OPERATIONS_FIRST = 4_096;

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
  #places = new Float64Array(OPERATIONS_FIRST);
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
    if (this.#count === this.#places.length) this.#grow();
    if (this.#payloads.at(-1) !== payload) this.#payloads.push(payload);
    const operation = this.#count++;
    const at = operation * FIELDS;
    this.#operations[at + PAYLOAD] = this.#payloads.length - 1;
    this.#operations[at + DATABASE] = db;
    this.#operations[at + KEY_START] = keyStart;
    this.#operations[at + KEY_END] = keyEnd;
    this.#operations[at + VALUE_END] = valueStart < 0 ? -1 : valueEnd;
    const place = placeOf(rank, payload, keyStart + STARTS[db]!, keyEnd);
    this.#places[operation] = place * OPERATIONS_MAX + operation;
    return true;
  }

  /** Visits all that is here. */
  flush(): void {
    const places = this.#places.subarray(0, this.#count).toSorted();
    const operations = this.#operations;
    for (let i = 0; i < places.length; i++) {
      const place = places[i]!;
      // The remainder, which `%` takes several times as long to find in so large a number.
      const at = (place - Math.floor(place / OPERATIONS_MAX) * OPERATIONS_MAX) * FIELDS;
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

  #grow(): void {
    const places = new Float64Array(this.#places.length * 2);
    const operations = new Int32Array(this.#operations.length * 2);
    places.set(this.#places);
    operations.set(this.#operations);
    this.#places = places;
    this.#operations = operations;
  }
}

/** Equal keys have equal places, whatever follows them: so a short key has none of its own. */
function placeOf(rank: number, payload: Uint8Array, start: number, keyEnd: number): number {
  if (start + 4 > keyEnd) return rank * 0x1_0000_0000;
  const word =
    ((payload[start]! << 24) |
      (payload[start + 1]! << 16) |
      (payload[start + 2]! << 8) |
      payload[start + 3]!) >>>
    0;
  if (rank !== RANK_OF_INDEXES) return rank * 0x1_0000_0000 + word;
  const index = payload[start - 1]! % (RANKS_MAX - rank);
  return (rank + index) * 0x1_0000_0000 + word;
}
