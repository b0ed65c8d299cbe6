import { assert } from '#base/assert.ts';

/**
 * The words of a segment as they were written (folded, not stemmed), sorted by UTF-16 code units, each with the terms it
 * was indexed as and the documents that hold it. Prefixes and typos are looked for among these words, not among stems: a
 * stem "configur" never begins with "configurat".
 *
 * All of it is one piece of memory that any thread opens without copying:
 *
 *     u32 magic, entries n, units m, 0 | u32 offsets[n + 1] | u32 terms[n] | u32 documentCounts[n] | u16 units[m] | padding to 4
 *
 * An entry is a pair of word and term. A word that two languages stem differently has an entry for each term, one after
 * the other, by ascending term.
 */
export interface VocabularyEntry {
  readonly word: string;
  /** Number of the term within its segment. */
  readonly term: number;
  readonly documentCount: number;
}

/** A word of a vocabulary; `documentCount` is the sum over the word's entries. */
export interface CountedWord {
  readonly word: string;
  readonly documentCount: number;
}

export const VOCABULARY_MAGIC = 0x31_63_6f_76;
export const VOCABULARY_HEADER_WORDS = 4;

/** More arguments than this might not fit onto the stack. */
const UNITS_AT_A_TIME = 1_024;

export class Vocabulary {
  /** Entries. A word may have several. */
  readonly size: number;
  readonly offsets: Uint32Array;
  readonly units: Uint16Array;
  readonly bytes: Uint8Array;
  readonly #terms: Uint32Array;
  readonly #documentCounts: Uint32Array;

  /** Opens what `VocabularyBuilder.finish` gave, at a multiple of four bytes in any memory. */
  constructor(memory: ArrayBufferLike, byteOffset = 0) {
    const header = new Uint32Array(memory, byteOffset, VOCABULARY_HEADER_WORDS);
    assert(header[0] === VOCABULARY_MAGIC, 'a vocabulary begins with its magic number');
    const size = header[1]!;
    const unitCount = header[2]!;
    let at = byteOffset + header.byteLength;
    this.size = size;
    this.offsets = new Uint32Array(memory, at, size + 1);
    at += this.offsets.byteLength;
    this.#terms = new Uint32Array(memory, at, size);
    at += this.#terms.byteLength;
    this.#documentCounts = new Uint32Array(memory, at, size);
    at += this.#documentCounts.byteLength;
    this.units = new Uint16Array(memory, at, unitCount);
    at += vocabularyUnitBytes(unitCount);
    this.bytes = new Uint8Array(memory, byteOffset, at - byteOffset);
  }

  word(entry: number): string {
    const end = this.offsets[entry + 1]!;
    let word = '';
    for (let at = this.offsets[entry]!; at < end; at += UNITS_AT_A_TIME) {
      word += String.fromCharCode(...this.units.subarray(at, Math.min(end, at + UNITS_AT_A_TIME)));
    }
    return word;
  }

  term(entry: number): number {
    return this.#terms[entry]!;
  }

  documentCount(entry: number): number {
    return this.#documentCounts[entry]!;
  }

  /** The entries of one word, `[from, to)`. */
  entriesOf(word: string): [from: number, to: number] {
    const from = this.#firstNotBelow(word);
    let to = from;
    while (to < this.size && this.#compare(to, word) === 0) to++;
    return [from, to];
  }

  documentCountOf(word: string): number {
    const [from, to] = this.entriesOf(word);
    let sum = 0;
    for (let entry = from; entry < to; entry++) sum += this.documentCount(entry);
    return sum;
  }

  /** The entries whose word begins with `prefix`, `[from, to)`. */
  entriesFrom(prefix: string): [from: number, to: number] {
    const from = this.#firstNotBelow(prefix);
    return [from, this.#search(from, (entry) => this.#startsWith(entry, prefix))];
  }

  /** The first entry after `entry` that differs from it in the first `unitCount` units. */
  entryAfterPrefix(entry: number, unitCount: number): number {
    let known = entry;
    for (let step = 1; known + step < this.size; step *= 2) {
      if (!this.#agree(entry, known + step, unitCount)) {
        return this.#search(
          known + 1,
          (other) => this.#agree(entry, other, unitCount),
          known + step,
        );
      }
      known += step;
    }
    return this.#search(known + 1, (other) => this.#agree(entry, other, unitCount));
  }

  isSameWord(a: number, b: number): boolean {
    const length = this.offsets[a + 1]! - this.offsets[a]!;
    return length === this.offsets[b + 1]! - this.offsets[b]! && this.#agree(a, b, length);
  }

  #firstNotBelow(word: string): number {
    return this.#search(0, (entry) => this.#compare(entry, word) < 0);
  }

  /** The first entry in `[from, to)` that fails a test which holds up to some entry and not beyond it. */
  #search(from: number, holds: (entry: number) => boolean, to = this.size): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compare(entry: number, word: string): number {
    const start = this.offsets[entry]!;
    const length = this.offsets[entry + 1]! - start;
    const shorter = Math.min(length, word.length);
    for (let i = 0; i < shorter; i++) {
      const difference = this.units[start + i]! - word.charCodeAt(i);
      if (difference !== 0) return difference;
    }
    return length - word.length;
  }

  #startsWith(entry: number, prefix: string): boolean {
    const start = this.offsets[entry]!;
    if (this.offsets[entry + 1]! - start < prefix.length) return false;
    for (let i = 0; i < prefix.length; i++) {
      if (this.units[start + i] !== prefix.charCodeAt(i)) return false;
    }
    return true;
  }

  #agree(a: number, b: number, unitCount: number): boolean {
    const aStart = this.offsets[a]!;
    const bStart = this.offsets[b]!;
    if (this.offsets[b + 1]! - bStart < unitCount) return false;
    for (let i = unitCount - 1; i >= 0; i--) {
      if (this.units[aStart + i] !== this.units[bStart + i]) return false;
    }
    return true;
  }
}

/** Bytes that the units take, up to the next multiple of four. */
export function vocabularyUnitBytes(unitCount: number): number {
  return (unitCount * 2 + 3) & ~3;
}
