import { must } from '#base/assert.ts';
import { SEARCH_CACHED_WORDS_MAX } from '#base/search-limits.ts';
import { CharacterClasses } from './character-classes.ts';
import { LanguageAnalyzer } from './language-analyzer.ts';
import { LANGUAGE_RULES } from './languages.ts';

/**
 * Analysis turns a text into tokens, by language and in the same way for documents and queries (specification of search,
 * section 6: two-letter language codes, `--` for any).
 *
 * - A word is a run of letters, marks and digits; everything else separates: `node.js`, `foo_bar`, `AT&T` and `1.5` are two
 *   words each, `v1.2.3` three. A single Latin letter keeps `++` or `#` behind it: `c++`, `c#`, `f#`. What stands between
 *   capitals is not split: `camelCase` is one word.
 * - An apostrophe separates (`l'eau`, `Türkiye'de`), except in English, where the possessive is dropped and others are left
 *   out (`John's`: john, `don't`: dont), and in Ukrainian and Hebrew, where it is part of the word and left out.
 * - Chinese, Japanese and Korean runs, in any language, are pairs of neighbouring characters that overlap. A run of one
 *   character is that character. Positions follow each other, so that a run of pairs is a phrase.
 * - Thai, Lao, Khmer and Burmese runs, in any language, are cut into words by the dictionaries of `Intl.Segmenter`.
 * - Zero-width and bidirectional controls, soft hyphens and Arabic elongation inside a word are left out; lone surrogates separate.
 */
export interface Token {
  /** What is indexed and compared: stemmed, then folded. */
  readonly term: string;
  /** The whole word, folded: lower case without accents. The vocabulary of prefixes and of typing errors is made of these. */
  readonly surface: string;
  /** UTF-16 offsets in the analysed text as it came, the end excluded. */
  readonly start: number;
  readonly end: number;
  /** Counts words from 0 without gaps; never decreases. */
  readonly position: number;
  /** The same object for the same pair of term and surface, most of the time, where words are met again and again. */
  readonly word?: WordPlace;
}

/** Where whoever collects tokens keeps what it knows of their word, so that it need not look the word up. */
export interface WordPlace {
  /** Whose number it is. */
  owner: object | undefined;
  number: number;
}

/** Two letters (ISO 639-1), or `--` for any: words are folded, not stemmed, and none is a stop word. */
export type Language = string;

export interface Analyzer {
  readonly language: Language;
  /** The tokens of a query: one for each position. */
  analyze(text: string): Token[];
  /**
   * The tokens of a document, for the index and for highlights. These are the tokens of `analyze`, and behind some of them
   * further ones of the same position, so that these queries find the word too: `etudies` for `étudiés`, where the accents
   * decide on the stem; one character of a Chinese, Japanese or Korean run; `c` for `c++`. Nothing is kept of a long text.
   */
  analyzeDocument(text: string, emit: (token: Token) => void): void;
  /** The term of a surface. Every document that holds a word of this surface has this term at its place. */
  stem(surface: string): string;
  isStopWord(surface: string): boolean;
}

/** The languages with an analysis of their own, and `--`: what settings, queries and synonyms may name. */
export const ANALYSIS_LANGUAGES: readonly Language[] = [...LANGUAGE_RULES.keys()].toSorted();

/** What the analyzers of a thread have in common: a table and dictionaries that take a while to make. */
class SharedParts {
  readonly classes = new CharacterClasses();
  readonly segmenter = new Intl.Segmenter('th', { granularity: 'word' });
}

/** The analyzers of one thread: each is made when it is first asked for, with its stemmer and a cache of words. */
export class Analyzers {
  /** Made with the first analyzer: a thread that starts has other things to do. */
  #parts: SharedParts | undefined;
  readonly #made = new Map<string, LanguageAnalyzer>();
  readonly #cachedWordsMax: number;

  /** Of each language, up to twice as many words are kept with what was made of them. */
  constructor(cachedWordsMax = SEARCH_CACHED_WORDS_MAX) {
    this.#cachedWordsMax = cachedWordsMax;
  }

  /** Loads what any of them needs, words that say nothing included. */
  loadAll(): void {
    for (const language of ANALYSIS_LANGUAGES) this.#for(language).load();
  }

  /** The language is one of ANALYSIS_LANGUAGES: whoever takes it from a caller checks that. */
  for(language: Language): Analyzer {
    return this.#for(language);
  }

  #for(language: Language): LanguageAnalyzer {
    const made = this.#made.get(language);
    if (made !== undefined) return made;
    const rules = must(LANGUAGE_RULES.get(language), `analysis of the language ${language}`);
    // Two codes for one language (nb and nn are no) share what belongs to it.
    const analyzer =
      language === rules.language
        ? new LanguageAnalyzer(rules, (this.#parts ??= new SharedParts()), this.#cachedWordsMax)
        : this.#for(rules.language);
    this.#made.set(language, analyzer);
    return analyzer;
  }
}
