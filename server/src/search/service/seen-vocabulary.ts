import type { QueryContext } from '#graph/query/query-context.ts';
import { SEARCH_SEEN_WORDS_MAX, SEARCH_SUGGESTION_NODES_MAX } from '#base/search-limits.ts';
import type { CountedWord } from '../text/vocabulary/vocabulary.ts';
import type { WordList } from '../text/query-text/expand-word.ts';
import type { OpenedSnapshot } from './opened-snapshot.ts';
import type { SearchScope } from './scope.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import {
  searchText,
  type TextHit,
  type TextResult,
  type TextSearchOptions,
} from '../text/text-search.ts';
import type { TextQuery } from '../text/text-query.ts';
import { conditionsOf } from './prepared-search.ts';

/**
 * With this many nodes counted, every question about the number of nodes is settled: see
 * `documentCount`.
 */
const ENOUGH = 5;

/**
 * The vocabulary that somebody may know: expanding a typo or a prefix must not depend on what they
 * do not see. Each word is looked up in the nodes and fields that they see, unless they see all.
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

  /** The most frequent words, counting only nodes that the searcher sees. */
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

/**
 * The vocabulary for somebody's query; that of the index for the system and for who sees
 * everything.
 */
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

/** How many nodes with a form of a word are read to find the word itself: few, then more. */
const FEW_AND_MANY = [SEARCH_SUGGESTION_NODES_MAX, SEARCH_SEEN_WORDS_MAX] as const;

/** Decides which words a caller may be told: those in fields and nodes that they see. */
export class SeenWords {
  readonly #snapshot: OpenedSnapshot;
  readonly #scope: SearchScope;
  readonly #context: QueryContext;
  readonly #analyzers: readonly Analyzer[];
  readonly #options: TextSearchOptions;

  constructor(snapshot: OpenedSnapshot, scope: SearchScope, context: QueryContext) {
    this.#snapshot = snapshot;
    this.#scope = scope;
    this.#context = context;
    this.#analyzers = snapshot.analyzers(undefined);
    const asked = { filters: [], relatedTo: [], targetUids: undefined };
    const { test } = conditionsOf(context, asked);
    this.#options = {
      limit: SEARCH_SUGGESTION_NODES_MAX,
      filter: { types: new Set(scope.types.keys()), ...(test === undefined ? {} : { test }) },
      visibleFields: scope.visibleFields,
    };
  }

  /**
   * The number of nodes with any form of the word; 0 if none of the best of them has the word
   * itself.
   */
  countOf(word: string): number {
    const { hits, total = 0 } = this.#find(word, true);
    return hits.some((hit) => this.#hasWord(hit, word)) ? total : 0;
  }

  has(word: string): boolean {
    return FEW_AND_MANY.some((limit) =>
      this.#find(word, false, limit).hits.some((hit) => this.#hasWord(hit, word)),
    );
  }

  /** The number of nodes with any form of the word, perhaps not the word itself. */
  formsOf(word: string): number {
    const { view } = this.#snapshot;
    const terms = new Set(this.#analyzers.map((analyzer) => analyzer.stem(word)));
    return [...terms].reduce((most, term) => {
      const numbers = view.parts.map(({ segment }) => segment.terms.find(term));
      return Math.max(most, view.documentCountOf(numbers));
    }, 0);
  }

  /** The number of nodes with this very word, counted up to about `enough`. */
  countUpTo(word: string, enough: number): number {
    let count = 0;
    for (const limit of FEW_AND_MANY) {
      const { hits } = this.#find(word, false, limit);
      count = hits.filter((hit) => this.#hasWord(hit, word)).length;
      if (count >= enough || hits.length < limit) break;
    }
    return count;
  }

  #find(word: string, isCounted: boolean, limit?: number): TextResult {
    const terms = new Set(this.#analyzers.map((analyzer) => analyzer.stem(word)));
    const alternatives = [...terms].map((term) => ({ kind: 'term', term, weight: 1 }) as const);
    const query: TextQuery = { groups: [{ occurrence: 'must', alternatives }] };
    return searchText(this.#snapshot.view, query, {
      ...this.#options,
      isCounted,
      ...(limit === undefined ? {} : { limit }),
    });
  }

  /** Reads the node, as the index only knows that some form is there. */
  #hasWord({ node, type, language }: TextHit, word: string): boolean {
    return (this.#scope.texts.get(type) ?? []).some((text) => {
      const value = this.#context.read(node, text.name);
      const analyzer = this.#snapshot.analyzerOf(text, language);
      const values: readonly unknown[] = Array.isArray(value) ? value : [value];
      return values.some((one) => typeof one === 'string' && hasSurface(analyzer, one, word));
    });
  }
}

function hasSurface(analyzer: Analyzer, text: string, word: string): boolean {
  let isFound = false;
  analyzer.analyzeDocument(text, ({ surface }) => (isFound ||= surface === word));
  return isFound;
}
