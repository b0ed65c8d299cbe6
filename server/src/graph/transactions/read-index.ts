import type { ReadKeys } from './read-set.ts';
import { visitWritten } from './recent-writes.ts';

const NUMBER_BYTES = 2;

/** A point that every commit writes: of readers of whom nothing is known. */
export const ANY_WRITE = '*';
/** A point that each change of a node writes: of those that have searched. */
export const ANY_NODE = 'S';

interface Range {
  readonly reader: number;
  readonly list: string;
  /** What all keys in it begin with. */
  readonly prefix: string;
  readonly start: string;
  readonly end: string;
}

interface Reader {
  readonly points: readonly string[];
  readonly ranges: readonly Range[];
}

/** The ranges of one list, by the text that all keys in them begin with. */
interface RangeList {
  readonly byPrefix: Map<string, Set<Range>>;
  /** How many prefixes there are of each length. */
  readonly lengths: Map<number, number>;
}

/**
 * Finds those whose reads a commit has changed, from what it has written: the cost is that of the
 * commit and of those that it concerns, however many others there are. Who has read a range is
 * found by the beginning that all its keys share, which for one value of an index is the value.
 */
export class ReadIndex {
  readonly #readers = new Map<number, Reader>();
  readonly #points = new Map<string, Set<number>>();
  readonly #lists = new Map<string, RangeList>();

  get size(): number {
    return this.#readers.size;
  }

  /** Takes the place of what the reader had read before. */
  set(reader: number, reads: ReadKeys): void {
    this.delete(reader);
    const ranges = reads.ranges.map(([letter, start, end]) => {
      const list = letter + start.slice(0, NUMBER_BYTES);
      return { reader, list, prefix: prefixOf(start, end), start, end };
    });
    this.#readers.set(reader, { points: reads.points, ranges });
    for (const point of reads.points) {
      const readers = this.#points.get(point);
      if (readers === undefined) this.#points.set(point, new Set([reader]));
      else readers.add(reader);
    }
    for (const range of ranges) this.#addRange(range);
  }

  delete(reader: number): void {
    const reads = this.#readers.get(reader);
    if (reads === undefined) return;
    this.#readers.delete(reader);
    for (const point of reads.points) {
      const readers = this.#points.get(point);
      readers?.delete(reader);
      if (readers?.size === 0) this.#points.delete(point);
    }
    for (const range of reads.ranges) this.#deleteRange(range);
  }

  /** Adds those whose reads the commit has changed. */
  match(payload: Uint8Array, found: Set<number>): void {
    if (this.#readers.size === 0) return;
    this.#take(ANY_WRITE, found);
    visitWritten(payload, {
      point: (point) => {
        this.#take(point, found);
        if (point[0] === 'n') this.#take(ANY_NODE, found);
      },
      key: (list, key) => this.#takeRanges(list, key, found),
    });
  }

  #take(point: string, found: Set<number>): void {
    const readers = this.#points.get(point);
    if (readers !== undefined) for (const reader of readers) found.add(reader);
  }

  #takeRanges(name: string, key: string, found: Set<number>): void {
    const list = this.#lists.get(name);
    if (list === undefined) return;
    for (const length of list.lengths.keys()) {
      const ranges = list.byPrefix.get(key.slice(0, length));
      if (ranges === undefined) continue;
      for (const { reader, start, end } of ranges) {
        if (key >= start && key < end) found.add(reader);
      }
    }
  }

  #addRange(range: Range): void {
    const { prefix } = range;
    let list = this.#lists.get(range.list);
    if (list === undefined) {
      list = { byPrefix: new Map(), lengths: new Map() };
      this.#lists.set(range.list, list);
    }
    let ranges = list.byPrefix.get(prefix);
    if (ranges === undefined) {
      ranges = new Set();
      list.byPrefix.set(prefix, ranges);
      list.lengths.set(prefix.length, (list.lengths.get(prefix.length) ?? 0) + 1);
    }
    ranges.add(range);
  }

  #deleteRange(range: Range): void {
    const { prefix } = range;
    const list = this.#lists.get(range.list);
    const ranges = list?.byPrefix.get(prefix);
    if (list === undefined || ranges === undefined) return;
    ranges.delete(range);
    if (ranges.size > 0) return;
    list.byPrefix.delete(prefix);
    const left = (list.lengths.get(prefix.length) ?? 1) - 1;
    if (left > 0) list.lengths.set(prefix.length, left);
    else list.lengths.delete(prefix.length);
    if (list.byPrefix.size === 0) this.#lists.delete(range.list);
  }
}

/**
 * What all keys from `start` up to `end` begin with. An end is mostly the next text of the same
 * length, which no key of the range is: `ab` to `ac` is all that begins with `ab`.
 */
function prefixOf(start: string, end: string): string {
  let length = 0;
  while (length < start.length && length < end.length && start[length] === end[length]) length++;
  const isNext =
    length < start.length &&
    end.length === length + 1 &&
    end.charCodeAt(length) === start.charCodeAt(length) + 1;
  return start.slice(0, isNext ? length + 1 : length);
}
