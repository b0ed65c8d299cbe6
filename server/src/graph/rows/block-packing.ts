import { DB } from '#store/databases.ts';
import { keyAfter, readId } from '#store/bytes.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import type { Direction } from '../adjacency.ts';
import { edgeOfKey, ID_MAX, KeyEncoder, neighborOfKey } from '../keys.ts';
import { BLOCK_IDS, RowBlockWriter } from './row-block.ts';

/** Of rows with so many neighbours, the keys are counted before more are read. */
const LONG_ROW = 512;
/** A step reads no more keys than this: half a millisecond. */
const KEYS_AT_ONCE = 2_048;
/** A step counts the keys of so many neighbours' ids at first. */
const COUNTED_IDS = 2 ** 13;
/**
 * The next step takes more ids where one has counted few keys, and less where it has counted many:
 * it is to take about a millisecond.
 */
const COUNTED_KEYS_FEW = 2 ** 11;
const COUNTED_KEYS_MANY = 2 ** 13;
const COUNTED_IDS_FACTOR = 4;

/** A row that is too long to be read before it is known whether it is packed. */
interface LongRow {
  /** The key after which its keys are not read. */
  readonly readTo: Uint8Array;
  /** The first key that is not counted. */
  next: Uint8Array;
  total: number;
  ids: number;
}

/**
 * Makes the rows of one block from the keys, both directions, in steps: a node may have millions of
 * edges. Each row, and each number of edges, is what the keys said between the first step and the
 * last: all of a row that does not change meanwhile.
 */
export class BlockPacking {
  /** The numbers of edges of the nodes of the block, both directions together. */
  readonly degrees = new Uint32Array(BLOCK_IDS);
  /** The values; undefined where no node has a neighbour, and before it is done. */
  readonly values: { out: Uint8Array | undefined; in: Uint8Array | undefined } = {
    out: undefined,
    in: undefined,
  };
  readonly number: number;
  readonly #reader: KeyValueReader;
  readonly #first: number;
  readonly #keys = new KeyEncoder();
  readonly #writer: RowBlockWriter;
  readonly #end: Uint8Array;
  #direction: Direction | undefined = 'out';
  /** The first key that is not read. */
  #next: Uint8Array;
  #row = -1;
  #count = 0;
  #long: LongRow | undefined;

  /** Nobody else uses the writer until it is done. */
  constructor(reader: KeyValueReader, number: number, writer = new RowBlockWriter()) {
    this.#reader = reader;
    this.#writer = writer;
    writer.clear();
    this.number = number;
    this.#first = number * BLOCK_IDS;
    this.#next = this.#startOf(this.#first);
    this.#end = this.#startOf(this.#first + BLOCK_IDS);
  }

  get isDone(): boolean {
    return this.#direction === undefined;
  }

  /** One step, and more until the time is over. Returns whether it is done. */
  proceed(until: number): boolean {
    do {
      if (this.#direction === undefined) return true;
      if (this.#long === undefined) this.#readKeys(this.#direction);
      else this.#countKeys(this.#direction, this.#long);
    } while (performance.now() < until);
    return this.isDone;
  }

  #readKeys(direction: Direction): void {
    const first = this.#first;
    const writer = this.#writer;
    let read = 0;
    let last = NO_KEY;
    const range = { start: this.#next, end: this.#end, keysOnly: true };
    this.#reader.scan(DB[direction], range, (key) => {
      const row = readId(key, 0) - first;
      if (row !== this.#row) this.#beginRow(row);
      this.#count++;
      writer.add(row, neighborOfKey(key), edgeOfKey(key));
      const isLong = this.#count === LONG_ROW || writer.isRowAbsent(row);
      if (!isLong && ++read < KEYS_AT_ONCE) return true;
      last = Uint8Array.from(key);
      if (isLong) this.#long = { readTo: last, next: keyAfter(last), total: 0, ids: COUNTED_IDS };
      return false;
    });
    if (last === NO_KEY) this.#endDirection(direction);
    else this.#next = keyAfter(last);
  }

  /** Counts some of what is left of a long row. */
  #countKeys(direction: Direction, long: LongRow): void {
    const id = this.#first + this.#row;
    const end = this.#startOf(id + 1);
    let found = NO_KEY;
    const rest = { start: long.next, end, keysOnly: true };
    this.#reader.scan(DB[direction], rest, (key) => {
      found = Uint8Array.from(key);
      return false;
    });
    if (found === NO_KEY) return this.#endLongRow(long);
    const to = neighborOfKey(found) + long.ids;
    const edge = edgeOfKey(found);
    const keys = this.#keys;
    const next = (to > ID_MAX ? keys.out(id, edge + 1, 0) : keys.out(id, edge, to)).slice();
    const count = this.#reader.countRange(DB[direction], { start: found, end: next });
    long.total += count;
    long.next = next;
    if (count < COUNTED_KEYS_FEW) long.ids *= COUNTED_IDS_FACTOR;
    if (count > COUNTED_KEYS_MANY) long.ids /= COUNTED_IDS_FACTOR;
  }

  #endLongRow({ readTo, total }: LongRow): void {
    this.#long = undefined;
    if (this.#writer.makeRoom(this.#row, total)) {
      this.#next = keyAfter(readTo);
      return;
    }
    this.#count += total;
    this.#next = this.#startOf(this.#first + this.#row + 1);
  }

  #beginRow(row: number): void {
    this.#endRow();
    this.#row = row;
  }

  #endRow(): void {
    if (this.#row >= 0) this.degrees[this.#row]! += this.#count;
    this.#count = 0;
  }

  #endDirection(direction: Direction): void {
    this.#endRow();
    this.#row = -1;
    this.values[direction] = this.#writer.finish();
    this.#writer.clear();
    this.#next = this.#startOf(this.#first);
    this.#direction = direction === 'out' ? 'in' : undefined;
  }

  /** The first key of a node's row. */
  #startOf(id: number): Uint8Array {
    return this.#keys.node(id).slice();
  }
}

const NO_KEY = new Uint8Array(0);
