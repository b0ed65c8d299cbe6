import { hashOf } from './word-hash.ts';

/** What analysis made of a word. */
export interface AnalysedWord {
  readonly surface: string;
  readonly term: string;
  /** The term of its surface, where that is another one. */
  readonly surfaceTerm: string | undefined;
}

/** A word that is kept. */
export interface KnownWord extends AnalysedWord {
  /** See `Token`. Even, so that there is room for another one with the same surface. */
  readonly hint: number;
}

/**
 * Words seen lately, by how they stand in the text. When the young generation is full it becomes the old one, which is forgotten. A
 * word takes about 200 bytes, in each generation.
 */
export class WordCache {
  readonly #generationWordsMax: number;
  #young = new Generation();
  #old = new Generation();

  constructor(generationWordsMax: number) {
    this.#generationWordsMax = generationWordsMax;
  }

  /** The word from `start` up to `end` of a text, which is not cut out for it. `hash` is `hashOf` it. */
  get(hash: number, text: string, start: number, end: number): KnownWord | undefined {
    const found = this.#young.get(hash, text, start, end);
    if (found !== undefined) return found;
    const older = this.#old.get(hash, text, start, end);
    if (older !== undefined) this.#add(text.slice(start, end), older);
    return older;
  }

  set(word: string, analysed: AnalysedWord): KnownWord {
    // A part of a text keeps the whole text in memory: what is kept is a copy.
    const known = {
      surface: copyOf(analysed.surface),
      term: copyOf(analysed.term),
      surfaceTerm: analysed.surfaceTerm === undefined ? undefined : copyOf(analysed.surfaceTerm),
      hint: hintOf(analysed.surface),
    };
    this.#add(word, known);
    return known;
  }

  #add(word: string, known: KnownWord): void {
    if (this.#young.size >= this.#generationWordsMax) {
      this.#old = this.#young;
      this.#young = new Generation();
    }
    this.#young.add(hashOf(word), word, known);
  }
}

const SLOTS_AT_FIRST = 512;
const UNITS_AT_FIRST = 4_096;

/** A hash table with linear probing, at most half full, that compares words where they are: neither are they cut out nor hashed twice. */
class Generation {
  readonly #words: KnownWord[] = [];
  /** Hashes of the words, and where their units begin; one more than there are words. */
  readonly #hashes: number[] = [];
  readonly #starts: number[] = [0];
  #units = new Uint16Array(UNITS_AT_FIRST);
  /** Number of a word + 1, or 0. As many as a power of two. */
  #slots = new Int32Array(SLOTS_AT_FIRST);

  get size(): number {
    return this.#words.length;
  }

  get(hash: number, text: string, start: number, end: number): KnownWord | undefined {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const index = slots[slot]! - 1;
      if (index < 0) return undefined;
      if (this.#hashes[index] === hash && this.#isAt(index, text, start, end)) {
        return this.#words[index];
      }
    }
  }

  add(hash: number, text: string, word: KnownWord): void {
    const start = this.#starts[this.#words.length]!;
    this.#reserve(start + text.length);
    for (let i = 0; i < text.length; i++) this.#units[start + i] = text.charCodeAt(i);
    this.#starts.push(start + text.length);
    this.#hashes.push(hash);
    this.#words.push(word);
    if (this.#words.length * 2 > this.#slots.length) this.#rehash(this.#slots.length * 2);
    else this.#take(hash, this.#words.length);
  }

  #isAt(index: number, text: string, start: number, end: number): boolean {
    const from = this.#starts[index]!;
    if (this.#starts[index + 1]! - from !== end - start) return false;
    for (let at = start; at < end; at++) {
      if (text.charCodeAt(at) !== this.#units[from + at - start]) return false;
    }
    return true;
  }

  #take(hash: number, number: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = number;
  }

  #rehash(size: number): void {
    this.#slots = new Int32Array(size);
    this.#hashes.forEach((hash, index) => this.#take(hash, index + 1));
  }

  #reserve(length: number): void {
    if (length <= this.#units.length) return;
    const units = new Uint16Array(Math.max(length, this.#units.length * 2));
    units.set(this.#units);
    this.#units = units;
  }
}

export function hintOf(surface: string): number {
  return hashOf(surface) & -2;
}

function copyOf(word: string): string {
  // Below 13 characters V8 copies of itself.
  return word.length < 13 ? word : ` ${word}`.slice(1);
}
