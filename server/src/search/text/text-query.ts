/**
 * A query as the index understands it: groups of alternatives. Text never comes this far; words are analysed, and
 * synonyms, prefixes and typos are spelt out as alternatives before.
 *
 * - `must`: every such group has to match.
 * - `should`: adds to the score; where no group is `must`, at least one of these has to match.
 * - `not`: no such group may match.
 *
 * "All words" is a query of `must` groups, "any word" one of `should` groups. A query with neither matches every
 * document, each with the score 1, so that filters, facets and an order by time work without words.
 */
export interface TextQuery {
  readonly groups: readonly QueryGroup[];
}

export interface QueryGroup {
  readonly occurrence: 'must' | 'should' | 'not';
  /** The group matches where one of these does, and scores as the best of them. At least one. */
  readonly alternatives: readonly Alternative[];
  /** Only in these fields (`title:word`); where absent, in all the searcher may see. */
  readonly fields?: readonly number[];
}

export type Alternative = TermAlternative | PhraseAlternative;

export interface TermAlternative {
  readonly kind: 'term';
  readonly term: string;
  /** Above 0: 1 for what was asked, less for a synonym or a typo. The score is multiplied by it. */
  readonly weight: number;
}

/**
 * Words in one field at these distances from each other. A phrase scores as its words do, added up: being a phrase is a
 * condition, not a merit.
 */
export interface PhraseAlternative {
  readonly kind: 'phrase';
  /** By ascending offset; at least one. */
  readonly words: readonly PhraseWord[];
  readonly weight: number;
}

export interface PhraseWord {
  /** Position relative to the phrase's first word: 0, 1, 2; a gap leaves room for a word not asked for. */
  readonly offset: number;
  /** Any of these terms stands at this place. At least one. */
  readonly terms: readonly string[];
}
