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
import { conditionsOf } from './conditions.ts';

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

/** Of the nodes with a word in any of its forms, those that are looked at for the word itself: the best, then more of them. */
const FEW_AND_MANY = [SEARCH_SUGGESTION_NODES_MAX, SEARCH_SEEN_WORDS_MAX] as const;

/** Tells whether somebody may be told a word: only one that stands in a field, of a node, that they see. */
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

  /** Nodes with the word in any of its forms; 0 when the word itself is in none of the best that have one. */
  countOf(word: string): number {
    const { hits, total = 0 } = this.#find(word, true);
    return hits.some((hit) => this.#hasWord(hit, word)) ? total : 0;
  }

  has(word: string): boolean {
    return FEW_AND_MANY.some((limit) =>
      this.#find(word, false, limit).hits.some((hit) => this.#hasWord(hit, word)),
    );
  }

  /** Nodes with the word in any of its forms, none of which need be the word itself. */
  formsOf(word: string): number {
    const { view } = this.#snapshot;
    const terms = new Set(this.#analyzers.map((analyzer) => analyzer.stem(word)));
    return [...terms].reduce((most, term) => {
      const numbers = view.parts.map(({ segment }) => segment.terms.find(term));
      return Math.max(most, view.documentCountOf(numbers));
    }, 0);
  }

  /** Nodes with just this word: so many at least, of those that are looked at. */
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

  /** The index knows forms only: another form may be all that there is to see. */
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
