import type { CountedWord, Vocabulary } from './vocabulary.ts';
import { SEARCH_TYPO_WORD_CODE_POINTS_MAX } from '#base/search-limits.ts';

export interface SimilarWord extends CountedWord {
  /** Letters edited; 0 is the word itself. */
  readonly distance: number;
}

/**
 * The vocabularies of all segments as one. Words may be those of hidden documents only: show one
 * only after finding a document with it that the caller may read.
 */
export class Vocabularies {
  readonly #parts: readonly Vocabulary[];

  constructor(parts: readonly Vocabulary[]) {
    this.#parts = parts;
  }

  documentCount(word: string): number {
    return this.#parts.reduce((sum, part) => sum + part.documentCountOf(word), 0);
  }

  /**
   * Words that begin with `prefix`, most frequent first. Adds up the most frequent ones of each
   * part: a word that is rare in each part may lose to one that is frequent in one.
   */
  completions(prefix: string, limit: number): CountedWord[] {
    const words = new Set(this.#parts.flatMap((part) => mostFrequent(part, prefix, limit)));
    return this.#counted(words).toSorted(byFrequency).slice(0, limit);
  }

  /** Words within `distance` edits of `word`, nearest first, then most frequent. */
  within(word: string, distance: 1 | 2, limit: number, options: TypoOptions = {}): SimilarWord[] {
    const distances = new Map<string, number>();
    for (const part of this.#parts) {
      forEachTypo(part, word, distance, options, (entry, edits) => {
        distances.set(part.word(entry), edits);
      });
    }
    return this.#counted(distances.keys())
      .map((counted) => ({ ...counted, distance: distances.get(counted.word)! }))
      .toSorted((a, b) => a.distance - b.distance || byFrequency(a, b))
      .slice(0, limit);
  }

  #counted(words: Iterable<string>): CountedWord[] {
    return Array.from(words, (word) => ({ word, documentCount: this.documentCount(word) }));
  }
}

function byFrequency(a: CountedWord, b: CountedWord): number {
  return b.documentCount - a.documentCount || (a.word < b.word ? -1 : 1);
}

/** The `limit` words with this prefix that are in the most documents, in any order. */
function mostFrequent(vocabulary: Vocabulary, prefix: string, limit: number): string[] {
  const [from, to] = vocabulary.entriesFrom(prefix);
  const kept: { entry: number; documentCount: number }[] = [];
  for (let entry = from; entry < to;) {
    const first = entry;
    let documentCount = 0;
    do documentCount += vocabulary.documentCount(entry++);
    while (entry < to && vocabulary.isSameWord(first, entry));
    if (kept.length === limit && documentCount <= kept.at(-1)!.documentCount) continue;
    if (kept.length === limit) kept.pop();
    insertByCount(kept, { entry: first, documentCount });
  }
  return kept.map(({ entry }) => vocabulary.word(entry));
}

function insertByCount<Entry extends { documentCount: number }>(kept: Entry[], added: Entry): void {
  let at = kept.length;
  while (at > 0 && kept[at - 1]!.documentCount < added.documentCount) at--;
  kept.splice(at, 0, added);
}

interface TypoOptions {
  /** Only words with the same first letter: ten times as fast, and most typos come later. */
  readonly firstLetterFixed?: boolean;
}

/**
 * Calls `found` for the first entry of each word within `distance` of `word`, itself included.
 * Distance: optimal string alignment (Damerau and Levenshtein) over code points; swapping neighbors
 * is one edit. Words longer than `SEARCH_TYPO_WORD_CODE_POINTS_MAX` have none.
 *
 * It walks the sorted vocabulary like a trie: it computes only the part of a word that the word
 * before does not share, in a band 2·distance + 1 wide, and skips all words with a hopeless prefix.
 */
function forEachTypo(
  vocabulary: Vocabulary,
  word: string,
  distance: 1 | 2,
  options: TypoOptions,
  found: (entry: number, distance: number) => void,
): void {
  const letters = Uint32Array.from(word, (letter) => letter.codePointAt(0)!);
  if (letters.length === 0 || letters.length > SEARCH_TYPO_WORD_CODE_POINTS_MAX) return;
  const walk = new TypoWalk(vocabulary, letters, distance);
  const first = String.fromCodePoint(letters[0]!);
  const range = options.firstLetterFixed ? vocabulary.entriesFrom(first) : [0, vocabulary.size];
  let entry = range[0]!;
  const end = range[1]!;
  while (entry < end) {
    const result = walk.visit(entry);
    if (result.distance <= distance) found(entry, result.distance);
    entry = result.next;
  }
}

interface Visit {
  /** Above the allowed distance when the word is too far away. */
  distance: number;
  next: number;
}

class TypoWalk {
  readonly #vocabulary: Vocabulary;
  readonly #letters: Uint32Array;
  readonly #max: number;
  /**
   * Row d: distances of the word's first d letters to prefixes of `letters`; > max outside the
   * band.
   */
  readonly #rows: Uint8Array[];
  /** Letters of the word visited last. */
  readonly #path: Uint32Array;
  /** Where each of these letters begins, in units from the word's start. */
  readonly #starts: Uint32Array;
  #depth = 0;
  #lastStart = 0;
  #lastLength = 0;
  readonly #visit: Visit = { distance: 0, next: 0 };

  constructor(vocabulary: Vocabulary, letters: Uint32Array, max: number) {
    this.#vocabulary = vocabulary;
    this.#letters = letters;
    this.#max = max;
    const depthMax = letters.length + max + 1;
    this.#rows = Array.from({ length: depthMax + 1 }, () =>
      new Uint8Array(letters.length + 1).fill(max + 1),
    );
    for (let i = 0; i <= Math.min(max, letters.length); i++) this.#rows[0]![i] = i;
    this.#path = new Uint32Array(depthMax + 1);
    this.#starts = new Uint32Array(depthMax + 2);
  }

  visit(entry: number): Visit {
    const { offsets } = this.#vocabulary;
    const start = offsets[entry]!;
    const length = offsets[entry + 1]! - start;
    let depth = this.#sharedDepth(start, length);
    let at = this.#starts[depth]!;
    let isHopeless = false;
    while (at < length && !isHopeless) {
      const letter = this.#letterAt(start + at, start + length);
      this.#path[depth] = letter;
      at += letter > 0xffff ? 2 : 1;
      isHopeless = this.#fillRow(++depth) > this.#max;
      this.#starts[depth] = at;
    }
    // Drops a hopeless row: the next word computes its own, and goes no deeper.
    this.#depth = isHopeless ? depth - 1 : depth;
    this.#lastStart = start;
    this.#lastLength = length;
    this.#visit.distance = isHopeless ? this.#max + 1 : this.#rows[depth]![this.#letters.length]!;
    this.#visit.next = this.#nextEntry(entry, start, at, isHopeless);
    return this.#visit;
  }

  #nextEntry(entry: number, start: number, at: number, isHopeless: boolean): number {
    // In later words a lone half of a surrogate pair may be part of another letter.
    if (isHopeless && !isHighSurrogate(this.#vocabulary.units[start + at - 1]!)) {
      return this.#vocabulary.entryAfterPrefix(entry, at);
    }
    let next = entry + 1;
    while (next < this.#vocabulary.size && this.#vocabulary.isSameWord(entry, next)) next++;
    return next;
  }

  /** Letters that the word at `start` shares with the word visited last. */
  #sharedDepth(start: number, length: number): number {
    const { units } = this.#vocabulary;
    const most = Math.min(length, this.#lastLength, this.#starts[this.#depth]!);
    let shared = 0;
    while (shared < most && units[start + shared] === units[this.#lastStart + shared]) shared++;
    const isInsidePair =
      shared > 0 &&
      shared < length &&
      isHighSurrogate(units[start + shared - 1]!) &&
      isLowSurrogate(units[start + shared]!);
    if (isInsidePair) shared--;
    let depth = this.#depth;
    while (this.#starts[depth]! > shared) depth--;
    return depth;
  }

  #letterAt(at: number, end: number): number {
    const { units } = this.#vocabulary;
    const unit = units[at]!;
    if (!isHighSurrogate(unit) || at + 1 === end || !isLowSurrogate(units[at + 1]!)) return unit;
    return ((unit - 0xd800) << 10) + (units[at + 1]! - 0xdc00) + 0x1_0000;
  }

  /** Fills the band of row `depth` and gives its least distance. */
  #fillRow(depth: number): number {
    const max = this.#max;
    const letters = this.#letters;
    const above = this.#rows[depth - 1]!;
    const row = this.#rows[depth]!;
    const letter = this.#path[depth - 1]!;
    const from = Math.max(1, depth - max);
    const to = Math.min(letters.length, depth + max);
    if (depth <= max) row[0] = depth;
    let least = row[from - 1]!;
    for (let j = from; j <= to; j++) {
      const replaced = above[j - 1]! + (letters[j - 1] === letter ? 0 : 1);
      let cell = Math.min(replaced, above[j]! + 1, row[j - 1]! + 1);
      const isSwap =
        depth > 1 && j > 1 && letters[j - 1] === this.#path[depth - 2] && letters[j - 2] === letter;
      if (isSwap) cell = Math.min(cell, this.#rows[depth - 2]![j - 2]! + 1);
      row[j] = cell;
      if (cell < least) least = cell;
    }
    return least;
  }
}

function isHighSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}
