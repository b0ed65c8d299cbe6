import { VocabularyBuilder } from './vocabulary-builder.ts';
import type { Vocabulary } from './vocabulary.ts';

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
