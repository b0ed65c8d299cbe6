import { type TypoOptions, forEachTypo } from './typos.ts';
import type { CountedWord, Vocabulary } from './vocabulary.ts';

export interface SimilarWord extends CountedWord {
  /** Letters edited; 0 is the word itself. */
  readonly distance: number;
}

/**
 * The vocabularies of all segments as one. Answers are words of any document, also of hidden ones: a suggestion may be
 * shown only after a document with it was found that the asker may read.
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
   * Words that begin with `prefix`, those in the most documents first. Each part names its most frequent ones, and their
   * counts are added up: among several parts, a word that is rare in each may give way to one that is frequent in one.
   */
  completions(prefix: string, limit: number): CountedWord[] {
    const words = new Set(this.#parts.flatMap((part) => mostFrequent(part, prefix, limit)));
    return this.#counted(words).toSorted(byFrequency).slice(0, limit);
  }

  /** Words within `distance` edits of `word`, the nearest first, then those in the most documents. */
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

/** Of one vocabulary, the `limit` words with a prefix that are in the most documents, in any order. */
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
