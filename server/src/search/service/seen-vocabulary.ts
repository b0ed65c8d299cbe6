import type { QueryContext } from '#graph/query/query-context.ts';
import { SEARCH_SEEN_WORDS_MAX } from '#base/search-limits.ts';
import type { CountedWord } from '../text/vocabulary/vocabulary.ts';
import type { WordList } from '../text/query-text/expand-word.ts';
import type { OpenedSnapshot } from './opened-snapshot.ts';
import type { SearchScope } from './scope.ts';
import { SeenWords } from './seen-words.ts';

/** So many nodes with a word settle every question that is asked of their number: see `documentCount`. */
const ENOUGH = 5;

/**
 * The words that somebody may be told of, and no others: what a typing error or a prefix becomes must not depend on what they do
 * not see. Each word is looked for in the nodes and fields that they see; who sees all of them needs no look.
 */
class SeenVocabulary implements WordList {
  readonly #words: WordList;
  readonly #seen: SeenWords;
  readonly #isAllSeen: boolean;

  constructor(words: WordList, seen: SeenWords, isAllSeen: boolean) {
    this.#words = words;
    this.#seen = seen;
    this.#isAllSeen = isAllSeen;
  }

  documentCount(word: string): number {
    const count = this.#words.documentCount(word);
    return count === 0 || this.#isAllSeen ? count : this.#seen.countUpTo(word, ENOUGH);
  }

  completions(...[prefix, limit]: Parameters<WordList['completions']>) {
    return this.#best(this.#words.completions(prefix, SEARCH_SEEN_WORDS_MAX), limit);
  }

  within(...[word, distance, limit, options]: Parameters<WordList['within']>) {
    const found = this.#words.within(word, distance, SEARCH_SEEN_WORDS_MAX, options);
    const best: typeof found = [];
    for (const edits of [0, 1, 2]) {
      const asFar = found.filter((one) => one.distance === edits);
      best.push(...this.#best(asFar, limit - best.length));
    }
    return best;
  }

  /** Those in the most nodes that the searcher sees, by that alone. */
  #best<Word extends CountedWord>(words: readonly Word[], limit: number): Word[] {
    const counted = words
      .map((word) => ({ ...word, documentCount: this.#seen.formsOf(word.word) }))
      .filter(({ documentCount }) => documentCount > 0)
      .toSorted((a, b) => b.documentCount - a.documentCount || (a.word < b.word ? -1 : 1));
    const best: Word[] = [];
    for (const word of counted) {
      if (best.length === limit) break;
      if (this.#isAllSeen || this.#seen.has(word.word)) best.push(word);
    }
    return best;
  }
}

/** The words for somebody's query; those of the index for the system and for who sees everything. */
export function wordsFor(
  snapshot: OpenedSnapshot,
  scope: SearchScope,
  context: QueryContext,
): WordList {
  const { vocabularies } = snapshot.view;
  const { visibility } = context;
  const names = snapshot.types.map(({ name }) => name);
  if (visibility?.sightOf(names) === undefined) return vocabularies;
  const isAllSeen = names.every(
    (name) => !visibility.mayHideOfType(name) && !visibility.withholdsFields(name),
  );
  return new SeenVocabulary(vocabularies, new SeenWords(snapshot, scope, context), isAllSeen);
}
