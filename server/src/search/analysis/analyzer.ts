/**
 * Analysis turns a text into tokens, by language and in the same way for documents and queries
 * (specification of search, section 6: two-letter language codes, `--` for any).
 *
 * - A word is a run of letters, marks and digits; everything else separates: `node.js`, `foo_bar`,
 *   `AT&T` and `1.5` are two words each, `v1.2.3` three. A single Latin letter keeps `++` or `#`
 *   after it: `c++`, `c#`, `f#`. What stands between capitals is not split: `camelCase` is one
 *   word.
 * - An apostrophe separates (`l'eau`, `Türkiye'de`), except in English, where the possessive is
 *   dropped and others are left out (`John's`: john, `don't`: dont), and in Ukrainian and Hebrew,
 *   where it is part of the word and left out.
 * - Chinese, Japanese and Korean runs, in any language, are pairs of neighboring characters that
 *   overlap. A run of one character is that character. Positions follow each other, so that a run
 *   of pairs is a phrase.
 * - Thai, Lao, Khmer and Burmese runs, in any language, are cut into words by the dictionaries of
 *   `Intl.Segmenter`.
 * - Zero-width and bidirectional controls, soft hyphens and Arabic elongation inside a word are
 *   left out; lone surrogates separate.
 */
export interface Token {
  /** What is indexed and compared: stemmed, then folded. */
  readonly term: string;
  /** The whole word in lower case without accents: what prefixes and typos are looked up in. */
  readonly surface: string;
  /** UTF-16 offsets in the analyzed text as it came, the end excluded. */
  readonly start: number;
  readonly end: number;
  /** Counts words from 0 without gaps; never decreases. */
  readonly position: number;
  /** Mostly the same object for the same pair of term and surface. */
  readonly word?: WordPlace;
}

/** Lets whoever collects tokens remember what it knows of a word, instead of looking it up. */
export interface WordPlace {
  /** Who collects the tokens and set `number`. */
  owner: object | undefined;
  number: number;
}

/** ISO 639-1, or `--` for any: words are folded, not stemmed, and none is a stop word. */
export type Language = string;

export interface Analyzer {
  readonly language: Language;
  /** The tokens of a query: one for each position. */
  analyze(text: string): Token[];
  /**
   * The tokens of a document, for the index and for highlights: those of `analyze`, some followed
   * by further ones at the same position. These let more queries find the word: `etudies` for
   * `étudiés`, one character of a Chinese, Japanese or Korean run, `c` for `c++`. Nothing of a long
   * text is cached.
   */
  analyzeDocument(text: string, emit: (token: Token) => void): void;
  /** The term that every document has where it has a word of this surface. */
  stem(surface: string): string;
  isStopWord(surface: string): boolean;
}
