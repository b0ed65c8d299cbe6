import { assert } from '#base/assert.ts';
import {
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
