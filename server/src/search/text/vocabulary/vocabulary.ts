import { assert } from '#base/assert.ts';

/**
 * The words of a segment as written (folded, not stemmed), sorted by UTF-16 units, each with its
 * terms and the documents that have it. Prefixes and typos are looked up here, not among stems: a
 * stem "configur" never begins with "configurat".
 *
 * One piece of memory that any thread opens without copying:
 *
 * u32 magic, entries n, units m, 0 | u32 offsets[n + 1] | u32 terms[n] | u32 documentCounts[n] |
 * u16 units[m] | padding to 4
 *
 * An entry is a pair of word and term. A word that two languages stem differently has an entry for
 * each term, by ascending term.
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

const VOCABULARY_MAGIC = 0x31_63_6f_76;
const VOCABULARY_HEADER_WORDS = 4;

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

  /** Binary search: the first entry in `[from, to)` for which `holds` is false. */
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
function vocabularyUnitBytes(unitCount: number): number {
  return (unitCount * 2 + 3) & ~3;
}

const ENTRIES_AT_FIRST = 1_024;
const UNITS_AT_FIRST = 8_192;

/** Packs entries, which come by ascending word (UTF-16 units, as `<` compares), then by term. */
export class VocabularyBuilder {
  #size = 0;
  #unitCount = 0;
  #offsets = new Uint32Array(ENTRIES_AT_FIRST + 1);
  #terms = new Uint32Array(ENTRIES_AT_FIRST);
  #documentCounts = new Uint32Array(ENTRIES_AT_FIRST);
  #units = new Uint16Array(UNITS_AT_FIRST);
  #last: VocabularyEntry | undefined;

  add(entry: VocabularyEntry): void {
    assert(this.#last === undefined || isBefore(this.#last, entry), 'words come sorted, once each');
    this.#last = entry;
    const { word } = entry;
    this.#makeRoom(word.length);
    for (let i = 0; i < word.length; i++) this.#units[this.#unitCount++] = word.charCodeAt(i);
    this.#terms[this.#size] = entry.term;
    this.#documentCounts[this.#size] = entry.documentCount;
    this.#offsets[++this.#size] = this.#unitCount;
  }

  /** The memory that `Vocabulary` opens. */
  finish(): SharedArrayBuffer {
    const words = VOCABULARY_HEADER_WORDS + this.#size * 3 + 1;
    const memory = new SharedArrayBuffer(words * 4 + vocabularyUnitBytes(this.#unitCount));
    const table = new Uint32Array(memory, 0, words);
    table.set([VOCABULARY_MAGIC, this.#size, this.#unitCount, 0]);
    let at = VOCABULARY_HEADER_WORDS;
    table.set(this.#offsets.subarray(0, this.#size + 1), at);
    at += this.#size + 1;
    table.set(this.#terms.subarray(0, this.#size), at);
    at += this.#size;
    table.set(this.#documentCounts.subarray(0, this.#size), at);
    const units = new Uint16Array(memory, words * 4, this.#unitCount);
    units.set(this.#units.subarray(0, this.#unitCount));
    return memory;
  }

  #makeRoom(unitCount: number): void {
    if (this.#size === this.#terms.length) {
      const size = this.#size * 2;
      this.#offsets = grown(this.#offsets, new Uint32Array(size + 1));
      this.#terms = grown(this.#terms, new Uint32Array(size));
      this.#documentCounts = grown(this.#documentCounts, new Uint32Array(size));
    }
    const needed = this.#unitCount + unitCount;
    if (needed > this.#units.length) {
      this.#units = grown(this.#units, new Uint16Array(Math.max(needed, this.#units.length * 2)));
    }
  }
}

function isBefore(a: VocabularyEntry, b: VocabularyEntry): boolean {
  return a.word < b.word || (a.word === b.word && a.term < b.term);
}

function grown<Numbers extends Uint16Array | Uint32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}

/**
 * Merges vocabularies. `termOf` gives a term's number in the merged segment, or undefined if no
 * document has it any more; entries without a term are dropped. Document counts are added up: with
 * deleted documents they are an upper bound until words are counted again.
 */
export function mergeVocabularies(
  sources: readonly Vocabulary[],
  termOf: (source: number, term: number) => number | undefined,
): SharedArrayBuffer {
  const builder = new VocabularyBuilder();
  const cursors = sources.map((source, index) => new Cursor(source, index));
  for (;;) {
    const word = leastWord(cursors);
    if (word === undefined) return builder.finish();
    const counts = new Map<number, number>();
    for (const cursor of cursors) {
      for (; cursor.word === word; cursor.next()) {
        const term = termOf(cursor.index, cursor.source.term(cursor.entry));
        if (term === undefined) continue;
        const documentCount = cursor.source.documentCount(cursor.entry);
        counts.set(term, (counts.get(term) ?? 0) + documentCount);
      }
    }
    for (const [term, documentCount] of [...counts].toSorted(([a], [b]) => a - b)) {
      builder.add({ word, term, documentCount });
    }
  }
}

class Cursor {
  readonly source: Vocabulary;
  readonly index: number;
  entry = 0;
  word: string | undefined;

  constructor(source: Vocabulary, index: number) {
    this.source = source;
    this.index = index;
    this.word = source.size > 0 ? source.word(0) : undefined;
  }

  next(): void {
    this.entry++;
    this.word = this.entry < this.source.size ? this.source.word(this.entry) : undefined;
  }
}

function leastWord(cursors: readonly Cursor[]): string | undefined {
  let least: string | undefined;
  for (const { word } of cursors) {
    if (word !== undefined && (least === undefined || word < least)) least = word;
  }
  return least;
}
