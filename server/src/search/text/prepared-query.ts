import { AlternativesCursor, PhraseCursor, type PhrasePart } from './phrase-cursor.ts';
import { inverseDocumentFrequency, termCeiling } from './bm25.ts';
import type { IndexView } from './index-view.ts';
import { NameCursor } from './names/name-cursor.ts';
import { NO_DOCUMENT } from './postings-cursor.ts';
import type { SearchCursor } from './search-cursor.ts';
import { TermCursor } from './term-cursor.ts';
import type {
  Alternative,
  AskedName,
  PhraseWord,
  QueryGroup,
  TermAlternative,
  TextQuery,
} from './text-query.ts';
import { FieldMask, type VisibleFields } from './visible-fields.ts';

/** Terms that score as one word: all have the document frequency of the most frequent one. */
interface PreparedWord {
  readonly idf: number;
  /** Term -> part of the view -> number of the term there, or -1. */
  readonly numbers: ReadonlyMap<string, readonly number[]>;
}

/** What stands for one word in a query. */
type WordKey = TermAlternative | PhraseWord;

/** A group of a query with what the view knows of its terms. */
export class PreparedGroup {
  readonly occurrence: QueryGroup['occurrence'];
  readonly alternatives: readonly Alternative[];
  readonly #names: readonly AskedName[];
  readonly #fields: readonly number[] | undefined;
  readonly #view: IndexView;
  readonly #visibleFields: VisibleFields | undefined;
  readonly #words = new Map<WordKey, PreparedWord>();

  constructor(view: IndexView, group: QueryGroup, visibleFields: VisibleFields | undefined) {
    this.occurrence = group.occurrence;
    this.alternatives = group.alternatives;
    this.#names = group.names ?? [];
    this.#fields = group.fields;
    this.#view = view;
    this.#visibleFields = visibleFields;
    const terms: string[] = [];
    for (const alternative of group.alternatives) {
      if (alternative.kind === 'term') terms.push(alternative.term);
    }
    const word = prepareWord(view, terms);
    for (const alternative of group.alternatives) {
      if (alternative.kind === 'term') this.#words.set(alternative, word);
      else {
        for (const part of alternative.words) {
          this.#words.set(part, prepareWord(view, part.terms));
        }
      }
    }
  }

  /** A cursor over the group in one part of the view; undefined if nothing can match. */
  cursor(part: number): SearchCursor | undefined {
    const mask = this.#mask(part);
    const cursors: SearchCursor[] = [];
    for (const alternative of this.alternatives) {
      const cursor = this.alternativeCursor(alternative, part, mask);
      if (cursor !== undefined) cursors.push(cursor);
    }
    const named = this.#nameCursor(part);
    if (named !== undefined) cursors.push(named);
    return cursors.length > 1 ? new AlternativesCursor(cursors) : cursors[0];
  }

  /** The cursors of an alternative's words: one for a term, one for each word of a phrase. */
  wordCursors(alternative: Alternative, part: number): ScoredTerm[][] {
    const mask = this.#mask(part);
    if (alternative.kind === 'term') {
      const found = this.#termCursor(alternative, alternative.term, alternative.weight, part, mask);
      return [found === undefined ? [] : [found]];
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
      return this.#termCursor(alternative, term, weight, part, mask)?.cursor;
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
    const found: ScoredTerm[] = [];
    for (const term of new Set(terms)) {
      const one = this.#termCursor(key, term, weight, part, mask);
      if (one !== undefined) found.push(one);
    }
    return found;
  }

  /** Undefined where the part does not have the term. */
  #termCursor(
    key: WordKey,
    term: string,
    weight: number,
    part: number,
    mask: FieldMask | undefined,
  ): ScoredTerm | undefined {
    const { idf, numbers } = this.#words.get(key)!;
    const number = numbers.get(term)![part]!;
    if (number < 0) return undefined;
    const scoring = this.#view.scoring(part);
    return {
      term,
      idf,
      weight,
      cursor: new TermCursor(scoring, number, termCeiling(idf, weight), mask),
    };
  }

  #nameCursor(part: number): SearchCursor | undefined {
    if (this.#names.length === 0) return undefined;
    const { segment } = this.#view.parts[part]!;
    const fields = this.#fields;
    const visible = this.#visibleFields;
    const cursor = new NameCursor(
      segment,
      this.#names,
      (type, field) => fields?.includes(field) !== false && visible?.has(type, field) !== false,
    );
    return cursor.document === NO_DOCUMENT ? undefined : cursor;
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
  const numbers = new Map<string, readonly number[]>();
  for (const term of terms) {
    const ofTerm = view.parts.map(({ segment }) => segment.terms.find(term));
    numbers.set(term, ofTerm);
    documentCount = Math.max(documentCount, view.documentCountOf(ofTerm));
  }
  return { idf: inverseDocumentFrequency(view.documentCount, documentCount), numbers };
}
