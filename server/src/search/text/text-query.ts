/**
 * A query for the index: groups of alternatives. Words are analyzed before, and synonyms, prefixes
 * and typos are alternatives.
 *
 * - `must`: every such group has to match.
 * - `should`: adds to the score; without a `must` group, at least one has to match.
 * - `not`: no such group may match.
 *
 * "All words" is a query of `must` groups, "any word" one of `should` groups. A query with neither
 * matches every document with the score 1, so that filters, facets and sorting by time work without
 * words.
 */
export interface TextQuery {
  readonly groups: readonly QueryGroup[];
}

export interface QueryGroup {
  readonly occurrence: 'must' | 'should' | 'not';
  /** The group matches where one of these does, and scores as the best of them. */
  readonly alternatives: readonly Alternative[];
  /** The group also matches nodes that are called so. There is an alternative or a name. */
  readonly names?: readonly AskedName[];
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

/** What a node may be called. Names only match: they score 0. */
export interface AskedName {
  /** Folded, as `foldName` does it. */
  readonly name: string;
  /** The whole name, a name that goes on with another word, or one that begins with the letters. */
  readonly match: 'whole' | 'words' | 'letters';
}

/**
 * Words in one field at these distances. Its score is the sum of its words' scores: the phrase is
 * only a condition.
 */
export interface PhraseAlternative {
  readonly kind: 'phrase';
  /** By ascending offset; at least one. */
  readonly words: readonly PhraseWord[];
  readonly weight: number;
}

export interface PhraseWord {
  /**
   * Position relative to the first word: 0, 1, 2; a gap is room for a word that was not asked for.
   */
  readonly offset: number;
  /** Any of these terms stands at this place. At least one. */
  readonly terms: readonly string[];
}
