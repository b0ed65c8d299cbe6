import type { QueryContext } from '#graph/query/query-context.ts';
import type { WordList } from '../text/query-text/expand-word.ts';
import type { OpenedSnapshot } from './opened-snapshot.ts';
import type { SearchScope } from './scope.ts';
import { SeenWords } from './seen-words.ts';

/** So many more words are looked at than are wanted: some may be of hidden nodes only. */
const LOOKED_AT = 2;

/**
 * The words that somebody may be told of, and no others: what a typing error or a prefix becomes must not depend on what they do
 * not see. Each word is looked for in the nodes and fields that they see.
 */
class SeenVocabulary implements WordList {
  readonly #words: WordList;
  readonly #seen: SeenWords;

  constructor(words: WordList, seen: SeenWords) {
    this.#words = words;
    this.#seen = seen;
  }

  documentCount(word: string): number {
    return this.#words.documentCount(word) === 0 ? 0 : this.#seen.fewOf(word);
  }

  completions(...[prefix, limit]: Parameters<WordList['completions']>) {
    const found = this.#words.completions(prefix, LOOKED_AT * limit);
    return found.filter(({ word }) => this.#seen.has(word)).slice(0, limit);
  }

  within(...[word, distance, limit, options]: Parameters<WordList['within']>) {
    const found = this.#words.within(word, distance, LOOKED_AT * limit, options);
    return found.filter((similar) => this.#seen.has(similar.word)).slice(0, limit);
  }
}

/** The words for somebody's query. Who sees everything in the types that are searched needs no look at each word. */
export function wordsFor(
  snapshot: OpenedSnapshot,
  scope: SearchScope,
  context: QueryContext,
): WordList {
  const { vocabularies } = snapshot.view;
  const { visibility } = context;
  const isAllSeen =
    visibility === undefined ||
    snapshot.types.every(
      ({ name }) => !visibility.mayHideOfType(name) && !visibility.withholdsFields(name),
    );
  return isAllSeen
    ? vocabularies
    : new SeenVocabulary(vocabularies, new SeenWords(snapshot, scope, context));
}
