import { ANY_EDGE, type NeighborList } from '../adjacency.ts';

/**
 * The neighbours, in one direction, of 64 nodes whose ids follow one another, as one value of
 * `rows`. Mostly it fits one page of LMDB, whose search for pages side by side takes long after a
 * load. All numbers are little-endian, so that a machine can use them where they lie:
 *
 *   u32 count of neighbours
 *   2 u32, one bit for each node: its row is not here, since it is too large
 *   65 u32, where the row of each node begins among the neighbours, and where the last one ends
 *   count u32, the ids of the neighbours, of each node in the order (edge type, id)
 *   count u16, the edge types that lead to them
 */
export const BLOCK_IDS = 64;
/** A row with more neighbours is read from the keys, as fast as LMDB reads these. */
export const ROW_NEIGHBORS_MAX = 8_192;
/** So that one value stays below 400 KB. */
export const BLOCK_NEIGHBORS_MAX = 65_536;
/** Rows with ids from here on are read from the keys. */
export const PACKED_ID_END = 2 ** 32;

const ABSENT_AT = 1;
const STARTS_AT = ABSENT_AT + BLOCK_IDS / 32;
const IDS_AT = STARTS_AT + BLOCK_IDS + 1;
/** Rows up to this length are searched for an edge type from their beginning. */
const SHORT_ROW = 16;

/** The number of the block that has the row of an id. */
export function blockOf(id: number): number {
  return Math.floor(id / BLOCK_IDS);
}

/** A block that was read. */
export class RowBlock {
  readonly #words: Uint32Array;
  readonly #edges: Uint16Array;

  /**
   * The block of a value, which lies where numbers of 4 bytes may lie and does not change later.
   * Where there is no value, no node has neighbours.
   */
  static of(value: Uint8Array | undefined): RowBlock {
    return value === undefined ? EMPTY : new RowBlock(value);
  }

  /** A block that has no row, so that the keys are asked. */
  static get absent(): RowBlock {
    return ABSENT;
  }

  private constructor({ buffer, byteOffset, length }: Uint8Array) {
    const neighbors = (length - IDS_AT * 4) / 6;
    const words = IDS_AT + neighbors;
    this.#words = new Uint32Array(buffer, byteOffset, words);
    this.#edges = new Uint16Array(buffer, byteOffset + words * 4, neighbors);
  }

  /**
   * Appends the neighbours of a node, by edge type or `ANY_EDGE`. Returns false when the block does
   * not have its row.
   */
  collect(id: number, edge: number, into: NeighborList): boolean {
    const words = this.#words;
    const row = id % BLOCK_IDS;
    if (this.#isAbsent(row)) return false;
    let start = words[STARTS_AT + row]!;
    let end = words[STARTS_AT + row + 1]!;
    if (edge !== ANY_EDGE) {
      start = this.#firstFrom(edge, start, end);
      end = this.#firstFrom(edge + 1, start, end);
    }
    into.addRow(words, IDS_AT + start, this.#edges, start, end - start);
    return true;
  }

  hasSameRow(row: number, other: RowBlock): boolean {
    const count = this.#countOf(row);
    if (this.#isAbsent(row) !== other.#isAbsent(row) || count !== other.#countOf(row)) return false;
    const start = this.#words[STARTS_AT + row]!;
    const otherStart = other.#words[STARTS_AT + row]!;
    for (let i = 0; i < count; i++) {
      const isSame =
        this.#words[IDS_AT + start + i] === other.#words[IDS_AT + otherStart + i] &&
        this.#edges[start + i] === other.#edges[otherStart + i];
      if (!isSame) return false;
    }
    return true;
  }

  #isAbsent(row: number): boolean {
    return (this.#words[ABSENT_AT + (row >> 5)]! & (1 << (row & 31))) !== 0;
  }

  #countOf(row: number): number {
    return this.#words[STARTS_AT + row + 1]! - this.#words[STARTS_AT + row]!;
  }

  /** The first place of a row whose edge type is not below this one. */
  #firstFrom(edge: number, start: number, end: number): number {
    const edges = this.#edges;
    let low = start;
    if (end - start <= SHORT_ROW) {
      while (low < end && edges[low]! < edge) low++;
      return low;
    }
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (edges[middle]! < edge) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const EMPTY = RowBlock.of(new Uint8Array(IDS_AT * 4));
const ABSENT = RowBlock.of(new Uint8Array(IDS_AT * 4).fill(255, ABSENT_AT * 4, STARTS_AT * 4));

/**
 * The rows that differ between two values of a block, by their places in it. Undefined where the
 * first is no block.
 */
export function differingRows(
  value: Uint8Array | undefined,
  other: Uint8Array | undefined,
): number[] | undefined {
  const block = wholeBlock(value);
  const expected = wholeBlock(other);
  if (block === undefined || expected === undefined) return undefined;
  const rows: number[] = [];
  for (let row = 0; row < BLOCK_IDS; row++) if (!block.hasSameRow(row, expected)) rows.push(row);
  return rows;
}

/** A block that is what a writer makes, though its rows may be wrong. */
function wholeBlock(value: Uint8Array | undefined): RowBlock | undefined {
  if (value === undefined) return EMPTY;
  const count = (value.length - IDS_AT * 4) / 6;
  if (count < 0 || !Number.isInteger(count)) return undefined;
  const own = Uint8Array.from(value);
  const words = new Uint32Array(own.buffer, 0, IDS_AT);
  const starts = words.subarray(STARTS_AT);
  const isInOrder = starts.every((start, i) => i === 0 || start >= starts[i - 1]!);
  const isWhole = words[0] === count && starts[0] === 0 && starts[BLOCK_IDS] === count;
  return isInOrder && isWhole ? RowBlock.of(own) : undefined;
}

/** Makes blocks, one after the other. Rows come in the order of their ids. */
export class RowBlockWriter {
  readonly #starts = new Uint32Array(BLOCK_IDS + 1);
  readonly #absent = new Uint32Array(BLOCK_IDS / 32);
  #ids = new Uint32Array(1_024);
  #edges = new Uint16Array(1_024);
  #count = 0;
  #row = 0;
  /** The neighbours of the present row, which is given up when it has too many. */
  #isRowAbsent = false;

  clear(): void {
    this.#starts.fill(0);
    this.#absent.fill(0);
    this.#count = 0;
    this.#row = 0;
    this.#isRowAbsent = false;
  }

  /** Adds a neighbour of the row with this place in the block. */
  add(row: number, neighbor: number, edge: number): void {
    if (row !== this.#row) this.#goTo(row);
    if (this.#isRowAbsent) return;
    if (!this.makeRoom(row, neighbor < PACKED_ID_END ? 1 : Infinity)) return;
    if (this.#count === this.#ids.length) this.#grow();
    this.#ids[this.#count] = neighbor;
    this.#edges[this.#count++] = edge;
  }

  /** Whether more of this row is of no use, since it is not packed. */
  isRowAbsent(row: number): boolean {
    return row === this.#row && this.#isRowAbsent;
  }

  /** Whether the row, the present one, may have so many more. Leaves it out where it may not. */
  makeRoom(row: number, neighbors: number): boolean {
    if (this.#isRowAbsent) return false;
    const count = this.#count + neighbors;
    const inRow = count - this.#starts[row]!;
    if (inRow <= ROW_NEIGHBORS_MAX && count <= BLOCK_NEIGHBORS_MAX) return true;
    this.#leaveOut(row);
    return false;
  }

  #leaveOut(row: number): void {
    this.#isRowAbsent = true;
    this.#absent[row >> 5]! |= 1 << (row & 31);
    this.#count = this.#starts[row]!;
  }

  /** The value; undefined when no node has a neighbour. */
  finish(): Uint8Array | undefined {
    this.#goTo(BLOCK_IDS);
    const count = this.#count;
    if (count === 0 && this.#absent.every((bits) => bits === 0)) return undefined;
    const words = new Uint32Array(IDS_AT + count + Math.ceil(count / 2));
    words[0] = count;
    words.set(this.#absent, ABSENT_AT);
    words.set(this.#starts, STARTS_AT);
    words.set(this.#ids.subarray(0, count), IDS_AT);
    new Uint16Array(words.buffer, (IDS_AT + count) * 4, count).set(this.#edges.subarray(0, count));
    return new Uint8Array(words.buffer, 0, (IDS_AT + count) * 4 + count * 2);
  }

  #goTo(row: number): void {
    for (let next = this.#row + 1; next <= row; next++) this.#starts[next] = this.#count;
    this.#row = row;
    this.#isRowAbsent = false;
  }

  #grow(): void {
    const ids = new Uint32Array(this.#ids.length * 2);
    ids.set(this.#ids);
    this.#ids = ids;
    const edges = new Uint16Array(ids.length);
    edges.set(this.#edges);
    this.#edges = edges;
  }
}
