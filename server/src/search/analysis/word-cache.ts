import type { WordPlace } from './analyzer.ts';

/** What analysis made of a word. */
export interface AnalyzedWord {
  readonly surface: string;
  readonly term: string;
  /** The term of its surface, if it differs from `term`. */
  readonly surfaceTerm: string | undefined;
}

/** A cached word, with room for what the indexer knows of it: see `Token`. */
export interface KnownWord extends AnalyzedWord, WordPlace {
  /** The same for `surfaceTerm`, if it has one. */
  readonly other: WordPlace | undefined;
}

/**
 * Words seen lately, as written. A full young generation becomes the old one, and the old one is
 * dropped. A word takes about 200 bytes in each generation.
 */
export class WordCache {
  readonly #generationWordsMax: number;
  #young = new Generation();
  #old = new Generation();

  constructor(generationWordsMax: number) {
    this.#generationWordsMax = generationWordsMax;
  }

  /** Looks up `text.slice(start, end)` without making that string. `hash` is its `hashOf`. */
  get(hash: number, text: string, start: number, end: number): KnownWord | undefined {
    const found = this.#young.get(hash, text, start, end);
    if (found !== undefined) return found;
    const older = this.#old.get(hash, text, start, end);
    if (older !== undefined) this.#add(text.slice(start, end), older);
    return older;
  }

  set(word: string, analyzed: AnalyzedWord): KnownWord {
    // A copy: a slice would keep the whole text in memory.
    const { surface, term, surfaceTerm } = analyzed;
    const known = knownWord({
      surface: copyOf(surface),
      term: copyOf(term),
      surfaceTerm: surfaceTerm === undefined ? undefined : copyOf(surfaceTerm),
    });
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

/**
 * A hash table with linear probing, at most half full. It compares words where they stand in the
 * text, so it neither copies nor hashes them twice.
 */
class Generation {
  readonly #words: KnownWord[] = [];
  /** Where the units of each word begin; one more than there are words. */
  #starts = new Uint32Array(SLOTS_AT_FIRST);
  #units = new Uint16Array(UNITS_AT_FIRST);
  /** Pairs of a word's hash and its number + 1, or 0. A power of two of them. */
  #slots = new Int32Array(2 * SLOTS_AT_FIRST);

  get size(): number {
    return this.#words.length;
  }

  get(hash: number, text: string, start: number, end: number): KnownWord | undefined {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let at = (hash << 1) & mask; ; at = (at + 2) & mask) {
      const index = slots[at + 1]! - 1;
      if (index < 0) return undefined;
      if (slots[at] === hash && this.#isAt(index, text, start, end)) return this.#words[index];
    }
  }

  add(hash: number, text: string, word: KnownWord): void {
    const index = this.#words.length;
    const start = this.#starts[index]!;
    const end = start + text.length;
    this.#reserve(index + 2, end);
    for (let i = 0; i < text.length; i++) this.#units[start + i] = text.charCodeAt(i);
    this.#starts[index + 1] = end;
    this.#words.push(word);
    if (this.#words.length * 4 > this.#slots.length) this.#rehash();
    take(this.#slots, hash, index + 1);
  }

  #isAt(index: number, text: string, start: number, end: number): boolean {
    const from = this.#starts[index]!;
    if (this.#starts[index + 1]! - from !== end - start) return false;
    const units = this.#units;
    for (let at = start; at < end; at++) {
      if (text.charCodeAt(at) !== units[from + at - start]) return false;
    }
    return true;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    for (let at = 0; at < this.#slots.length; at += 2) {
      const number = this.#slots[at + 1]!;
      if (number > 0) take(slots, this.#slots[at]!, number);
    }
    this.#slots = slots;
  }

  #reserve(starts: number, units: number): void {
    if (starts > this.#starts.length) {
      const larger = new Uint32Array(this.#starts.length * 2);
      larger.set(this.#starts);
      this.#starts = larger;
    }
    if (units > this.#units.length) {
      const larger = new Uint16Array(Math.max(units, this.#units.length * 2));
      larger.set(this.#units);
      this.#units = larger;
    }
  }
}

function take(slots: Int32Array, hash: number, number: number): void {
  const mask = slots.length - 1;
  let at = (hash << 1) & mask;
  while (slots[at + 1] !== 0) at = (at + 2) & mask;
  slots[at] = hash;
  slots[at + 1] = number;
}

export function knownWord({ surface, term, surfaceTerm }: AnalyzedWord): KnownWord {
  const other = surfaceTerm === undefined ? undefined : { owner: undefined, number: 0 };
  return { owner: undefined, number: 0, surface, term, surfaceTerm, other };
}

function copyOf(word: string): string {
  // V8 copies slices below 13 characters by itself.
  return word.length < 13 ? word : ` ${word}`.slice(1);
}

/** A 30-bit hash of the UTF-16 units of a part of a text. */
export function hashOf(text: string, start = 0, end = text.length): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = nextHash(hash, text.charCodeAt(at));
  return endOfHash(hash);
}

/** `hashOf` step by step, for callers that read the units anyway; starts with 0. */
export function nextHash(hash: number, unit: number): number {
  return (Math.imul(hash, 31) + unit) | 0;
}

export function endOfHash(hash: number): number {
  return Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d) >>> 2;
}
