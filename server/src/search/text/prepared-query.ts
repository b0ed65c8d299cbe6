import { AlternativesCursor } from './alternatives-cursor.ts';
import { inverseDocumentFrequency, termCeiling } from './bm25.ts';
import type { IndexView } from './index-view.ts';
import { PhraseCursor, type PhrasePart } from './phrase-cursor.ts';
import type { SearchCursor } from './search-cursor.ts';
import { TermCursor } from './term-cursor.ts';
import type {
  Alternative,
  PhraseWord,
  QueryGroup,
  TermAlternative,
  TextQuery,
} from './text-query.ts';
import { FieldMask, type VisibleFields } from './visible-fields.ts';

/** Terms that count as one word in the score: the most frequent of them gives all of them its document frequency. */
interface PreparedWord {
  readonly idf: number;
  readonly terms: ReadonlyMap<string, PreparedTerm>;
}

interface PreparedTerm {
  /** Part of the view -> number of the term there, or -1. */
  readonly numbers: readonly number[];
}

/** What stands for one word in a query. */
type WordKey = TermAlternative | PhraseWord;

/** A group of a query with what the view knows of its terms. */
export class PreparedGroup {
  readonly occurrence: QueryGroup['occurrence'];
  readonly alternatives: readonly Alternative[];
  readonly #fields: readonly number[] | undefined;
  readonly #view: IndexView;
  readonly #visibleFields: VisibleFields | undefined;
  readonly #words = new Map<WordKey, PreparedWord>();

  constructor(view: IndexView, group: QueryGroup, visibleFields: VisibleFields | undefined) {
    this.occurrence = group.occurrence;
    this.alternatives = group.alternatives;
    this.#fields = group.fields;
    this.#view = view;
    this.#visibleFields = visibleFields;
    const terms = group.alternatives.flatMap((alternative) =>
      alternative.kind === 'term' ? [alternative] : [],
    );
    const word = prepareWord(
      view,
      terms.map(({ term }) => term),
    );
    for (const alternative of group.alternatives) {
      if (alternative.kind === 'term') this.#words.set(alternative, word);
      else {
        for (const part of alternative.words) {
          this.#words.set(part, prepareWord(view, part.terms));
        }
      }
    }
  }

  /** The group in one part of the view; undefined where nothing can match. */
  cursor(part: number): SearchCursor | undefined {
    const mask = this.#mask(part);
    const cursors = this.alternatives.flatMap((alternative) => {
      const cursor = this.alternativeCursor(alternative, part, mask);
      return cursor === undefined ? [] : [cursor];
    });
    return cursors.length > 1 ? new AlternativesCursor(cursors) : cursors[0];
  }

  /** The cursors of an alternative's words: one for a term, one for each word of a phrase. */
  wordCursors(alternative: Alternative, part: number): ScoredTerm[][] {
    const mask = this.#mask(part);
    if (alternative.kind === 'term') {
      const { term, weight } = alternative;
      return [this.#termCursors(alternative, [term], weight, part, mask)];
    }
    return alternative.words.map((word) =>
      this.#termCursors(word, word.terms, alternative.weight, part, mask),
    );
  }

  alternativeCursor(
    alternative: Alternative,
    part: number,
    mask = this.#mask(part),
  ): SearchCursor | undefined {
    const { segment } = this.#view.parts[part]!;
    if (alternative.kind === 'term') {
      const { term, weight } = alternative;
      return this.#termCursors(alternative, [term], weight, part, mask)[0]?.cursor;
    }
    const parts: PhrasePart[] = [];
    for (const word of alternative.words) {
      const found = this.#termCursors(word, word.terms, alternative.weight, part, mask);
      if (found.length === 0) return undefined;
      parts.push({ offset: word.offset, cursors: found.map(({ cursor }) => cursor) });
    }
    return new PhraseCursor(parts, segment);
  }

  #termCursors(
    key: WordKey,
    terms: readonly string[],
    weight: number,
    part: number,
    mask: FieldMask | undefined,
  ): ScoredTerm[] {
    const { idf, terms: prepared } = this.#words.get(key)!;
    const scoring = this.#view.scoring(part);
    const ceiling = termCeiling(idf, weight);
    const found: ScoredTerm[] = [];
    for (const term of new Set(terms)) {
      const number = prepared.get(term)!.numbers[part]!;
      if (number < 0) continue;
      found.push({ term, idf, weight, cursor: new TermCursor(scoring, number, ceiling, mask) });
    }
    return found;
  }

  #mask(part: number): FieldMask | undefined {
    const { segment } = this.#view.parts[part]!;
    const fields = this.#fields;
    if (fields === undefined) return this.#visibleFields?.mask(segment);
    if (this.#visibleFields !== undefined) return this.#visibleFields.maskOf(segment, fields);
    return new FieldMask(segment, (_, field) => fields.includes(field));
  }
}

export interface ScoredTerm {
  readonly term: string;
  readonly idf: number;
  readonly weight: number;
  readonly cursor: TermCursor;
}

export function prepareQuery(
  view: IndexView,
  query: TextQuery,
  visibleFields: VisibleFields | undefined,
): PreparedGroup[] {
  return query.groups.map((group) => new PreparedGroup(view, group, visibleFields));
}

function prepareWord(view: IndexView, terms: readonly string[]): PreparedWord {
  let documentCount = 0;
  const prepared = new Map(
    terms.map((term) => {
      const numbers = view.parts.map(({ segment }) => segment.terms.find(term));
      documentCount = Math.max(documentCount, view.documentCountOf(numbers));
      return [term, { numbers }];
    }),
  );
  return { idf: inverseDocumentFrequency(view.documentCount, documentCount), terms: prepared };
}
