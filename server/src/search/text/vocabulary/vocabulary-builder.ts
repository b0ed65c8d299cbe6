import { assert } from '#base/assert.ts';
import {
  type Vocabulary,
  VOCABULARY_HEADER_WORDS,
  VOCABULARY_MAGIC,
  type VocabularyEntry,
  vocabularyUnitBytes,
} from './vocabulary.ts';

const ENTRIES_AT_FIRST = 1_024;
const UNITS_AT_FIRST = 8_192;

/** Packs entries that come by ascending word (UTF-16 code units, as `<` compares strings), then ascending term. */
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
 * One vocabulary of the words of several, as their segments are merged. `termOf` gives the term's number in the merged
 * segment, or undefined when no document holds it any more; an entry without a term is dropped. Document counts are added
 * up: where documents were deleted they are an upper bound until the words are counted anew.
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
