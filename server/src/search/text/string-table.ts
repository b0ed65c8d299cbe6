/** A thread caches strings of tables up to this size. */
const KEPT_STRINGS_MAX = 1_024;

/** Strings sorted by UTF-16 units, packed into numbers so that threads share them. */
export class StringTable {
  readonly size: number;
  readonly offsets: Uint32Array;
  readonly units: Uint16Array;
  readonly #kept: string[] | undefined;

  constructor(offsets: Uint32Array, units: Uint16Array) {
    this.size = offsets.length - 1;
    this.offsets = offsets;
    this.units = units;
    this.#kept = this.size <= KEPT_STRINGS_MAX ? [] : undefined;
  }

  /** Packs strings that are sorted already, as `<` compares them. */
  static pack(strings: readonly string[]): StringTable {
    const offsets = new Uint32Array(strings.length + 1);
    let length = 0;
    strings.forEach((string, index) => {
      length += string.length;
      offsets[index + 1] = length;
    });
    const units = new Uint16Array(length);
    let at = 0;
    for (const string of strings) {
      for (let i = 0; i < string.length; i++) units[at++] = string.charCodeAt(i);
    }
    return new StringTable(offsets, units);
  }

  get(index: number): string {
    if (this.#kept === undefined) return this.#read(index);
    return (this.#kept[index] ??= this.#read(index));
  }

  /** Number of the string, or -1. */
  find(string: string): number {
    const first = this.#firstFrom(string);
    return first < this.size && this.#compare(first, string) === 0 ? first : -1;
  }

  #firstFrom(string: string): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, string) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #read(index: number): string {
    const end = this.offsets[index + 1]!;
    let text = '';
    // More arguments than a thousand might not fit onto the stack.
    for (let at = this.offsets[index]!; at < end; at += 1_024) {
      text += String.fromCharCode(...this.units.subarray(at, Math.min(end, at + 1_024)));
    }
    return text;
  }

  #compare(index: number, string: string): number {
    const start = this.offsets[index]!;
    const length = this.offsets[index + 1]! - start;
    const shorter = Math.min(length, string.length);
    for (let i = 0; i < shorter; i++) {
      const difference = this.units[start + i]! - string.charCodeAt(i);
      if (difference !== 0) return difference;
    }
    return length - string.length;
  }
}

/** Compares a string of one table with one of another. */
export function compareEntries(a: StringTable, i: number, b: StringTable, j: number): number {
  const aStart = a.offsets[i]!;
  const bStart = b.offsets[j]!;
  const aLength = a.offsets[i + 1]! - aStart;
  const bLength = b.offsets[j + 1]! - bStart;
  const shorter = Math.min(aLength, bLength);
  for (let k = 0; k < shorter; k++) {
    const difference = a.units[aStart + k]! - b.units[bStart + k]!;
    if (difference !== 0) return difference;
  }
  return aLength - bLength;
}
