import { must } from '#base/assert.ts';
import { SEARCH_CACHED_WORDS_MAX } from '#base/search-limits.ts';
import type { Analyzer, Language, Token } from './analyzer.ts';
import {
  CharacterClasses,
  HASH,
  IDEOGRAPH,
  IGNORED,
  LETTER,
  MARK,
  PLUS,
  Scanner,
  unitsAt,
  UNSPACED,
} from './scanner.ts';
import { foldWord, normalizeWord, WORD_CODE_POINTS_MAX, WORD_UNITS_MAX } from './fold.ts';
import {
  ANALYSIS_LANGUAGES,
  LANGUAGE_RULES,
  type LanguageRules,
  type Stemmer,
} from './languages.ts';
import { stopWordsOf } from './stop-words.ts';
import { type AnalyzedWord, hashOf, type KnownWord, knownWord, WordCache } from './word-cache.ts';

/** In some versions the time of Intl.Segmenter is quadratic in the length. */
const SEGMENT_UNITS_MAX = 10_000;
/** Units of a character and its marks; further marks are cut off. */
const CHARACTER_UNITS_MAX = 16;

const APOSTROPHES = /['\u2018\u2019\u02bc\uff07\u05f3\u05f4]/g;
const POSSESSIVE = /['\u2018\u2019\u02bc\uff07]s$/i;
const SYMBOL_AT_END = /[+#]$/;

type Emit = (token: Token) => void;

/** The analysis of one language; see analyzer.ts. */
export class LanguageAnalyzer implements Analyzer {
  readonly language: string;
  readonly #rules: LanguageRules;
  readonly #classes: CharacterClasses;
  readonly #stemmer: Stemmer | undefined;
  readonly #words: WordCache;
  readonly #segmenter: Intl.Segmenter;
  #stopWordList: readonly string[] | undefined;
  #stopWords: ReadonlySet<string> | undefined;

  /** `segmenter` cuts scripts without spaces into words. */
  constructor(
    rules: LanguageRules,
    { classes, segmenter }: { classes: CharacterClasses; segmenter: Intl.Segmenter },
    cachedWordsMax: number,
  ) {
    this.#words = new WordCache(cachedWordsMax);
    this.language = rules.language;
    this.#rules = rules;
    this.#classes = classes;
    this.#segmenter = segmenter;
    this.#stemmer = rules.stemmer?.();
  }

  analyze(text: string): Token[] {
    const tokens: Token[] = [];
    this.#tokens(text, (token) => {
      if (token.position === tokens.length) tokens.push(token);
    });
    return tokens;
  }

  analyzeDocument(text: string, emit: Emit): void {
    this.#tokens(text, emit);
  }

  stem(surface: string): string {
    if (SYMBOL_AT_END.test(surface)) return surface;
    const found = surface === '' ? IGNORED : this.#classes.at(surface, 0);
    return found === IDEOGRAPH || found === UNSPACED ? surface : this.#word(surface).term;
  }

  isStopWord(surface: string): boolean {
    this.#stopWords ??= new Set(this.load().map((word) => this.#word(word).surface));
    return this.#stopWords.has(surface);
  }

  /** Loads the stop words, as written, which otherwise happens on first use. */
  load(): readonly string[] {
    return (this.#stopWordList ??= stopWordsOf(this.language));
  }

  /** Tokens in the order of the text; at one position the token for queries comes first. */
  #tokens(text: string, emit: Emit): void {
    const scanner = new Scanner(text, this.#classes, this.#rules.apostrophe !== 'separates');
    let position = 0;
    while (scanner.next()) {
      const { kind, start, end } = scanner;
      if (kind === LETTER) position = this.#wordTokens(text, scanner, position, emit);
      else if (kind === IDEOGRAPH) position = this.#pairTokens(text, start, end, position, emit);
      else position = this.#segmentTokens(text, start, end, position, emit);
    }
  }

  #wordTokens(text: string, { start, end, hash }: Scanner, position: number, emit: Emit): number {
    const last = text.charCodeAt(end - 1);
    if (last === PLUS || last === HASH) {
      const name = text.slice(start, end).toLowerCase();
      const letter = name.slice(0, 1);
      emit({ term: name, surface: name, start, end, position });
      emit({ term: letter, surface: letter, start, end: start + 1, position });
      return position + 1;
    }
    const word = this.#word(text, start, end, hash);
    const { surface, term, surfaceTerm } = word;
    if (surface === '') return position;
    emit({ term, surface, start, end, position, word });
    if (surfaceTerm !== undefined) {
      emit({ term: surfaceTerm, surface, start, end, position, word: word.other! });
    }
    return position + 1;
  }

  #word(text: string, start = 0, end = text.length, hash = hashOf(text)): KnownWord {
    const isShort = end - start <= WORD_CODE_POINTS_MAX;
    const known = isShort ? this.#words.get(hash, text, start, end) : undefined;
    if (known !== undefined) return known;
    const raw = text.slice(start, end);
    const analyzed = this.#analyzeWord(raw);
    return isShort ? this.#words.set(raw, analyzed) : knownWord(analyzed);
  }

  #analyzeWord(raw: string): AnalyzedWord {
    const rules = this.#rules;
    const begin = raw.length > WORD_UNITS_MAX ? raw.slice(0, WORD_UNITS_MAX) : raw;
    const whole = rules.apostrophe === 'possessive' ? begin.replace(POSSESSIVE, '') : begin;
    const word = normalizeWord(whole.replace(APOSTROPHES, ''), rules);
    const surface = foldWord(word, rules);
    const term = this.#termOf(word);
    const surfaceTerm = surface === word ? term : this.#termOf(surface);
    return { surface, term, surfaceTerm: surfaceTerm === term ? undefined : surfaceTerm };
  }

  #termOf(word: string): string {
    const stem = this.#stemmer?.(word);
    return foldWord(stem === undefined || stem === '' ? word : stem, this.#rules);
  }

  /**
   * Emits each pair of characters and its first alone at the same position; at the end the last
   * alone.
   */
  #pairTokens(text: string, start: number, end: number, position: number, emit: Emit): number {
    let first = this.#character(text, start, end);
    if (first.end === end) return emitWhole(first, position, emit);
    let place = position;
    while (first.end < end) {
      const second = this.#character(text, first.end, end);
      const surface = first.surface + second.surface;
      const after = emitWhole({ surface, start: first.start, end: second.end }, place, emit);
      // Folding may leave nothing of a character; the pair is then the other character alone.
      if (surface !== first.surface) emitWhole(first, place, emit);
      if (second.end === end && surface !== second.surface) emitWhole(second, place, emit);
      first = second;
      place = after;
    }
    return place;
  }

  /** The character at `start` with its marks and invisible characters. */
  #character(text: string, start: number, end: number): Unstemmed {
    if (
      isPlain(text.charCodeAt(start)) &&
      (start + 1 === end || isPlain(text.charCodeAt(start + 1)))
    ) {
      return { surface: text.charAt(start), start, end: start + 1 };
    }
    let after = start + unitsAt(text, start);
    while (after < end) {
      const found = this.#classes.at(text, after);
      if (found !== MARK && found !== IGNORED) break;
      after += unitsAt(text, after);
    }
    const seen = text.slice(start, Math.min(after, start + CHARACTER_UNITS_MAX));
    const surface = foldWord(normalizeWord(seen, this.#rules), this.#rules);
    return { surface, start, end: after };
  }

  #segmentTokens(text: string, start: number, end: number, position: number, emit: Emit): number {
    let place = position;
    for (let from = start; from < end; from += SEGMENT_UNITS_MAX) {
      const piece = text.slice(from, Math.min(from + SEGMENT_UNITS_MAX, end));
      for (const { segment, index } of this.#segmenter.segment(piece)) {
        const { surface } = this.#word(segment);
        const at = from + index;
        place = emitWhole({ surface, start: at, end: at + segment.length }, place, emit);
      }
    }
    return place;
  }
}

/** Tables and dictionaries that all analyzers of a thread share, as they take a while to make. */
class SharedParts {
  readonly classes = new CharacterClasses();
  readonly segmenter = new Intl.Segmenter('th', { granularity: 'word' });
}

/** The analyzers of one thread, each made on first use, with a stemmer and a cache of words. */
export class Analyzers {
  /** Made with the first analyzer, to start threads sooner. */
  #parts: SharedParts | undefined;
  readonly #made = new Map<string, LanguageAnalyzer>();
  readonly #cachedWordsMax: number;

  /** `cachedWordsMax`: each language caches up to twice as many analyzed words. */
  constructor(cachedWordsMax = SEARCH_CACHED_WORDS_MAX) {
    this.#cachedWordsMax = cachedWordsMax;
  }

  /** Loads everything for all languages, stop words included. */
  loadAll(): void {
    for (const language of ANALYSIS_LANGUAGES) this.#for(language).load();
  }

  /** The caller has checked that the language is one of ANALYSIS_LANGUAGES. */
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

interface Unstemmed {
  readonly surface: string;
  readonly start: number;
  readonly end: number;
}

/** Emits a token whose term is its surface, unless that is empty. Returns the next position. */
function emitWhole({ surface, start, end }: Unstemmed, position: number, emit: Emit): number {
  if (surface === '') return position;
  emit({ term: surface, surface, start, end, position });
  return position + 1;
}

/** Whether normalization leaves the unit as it is: common Han, kana and Hangul. */
function isPlain(unit: number): boolean {
  return (
    (unit >= 0x4e_00 && unit <= 0x9f_ff) ||
    (unit >= 0x30_41 && unit <= 0x30_96) ||
    (unit >= 0x30_a1 && unit <= 0x30_fe) ||
    (unit >= 0xac_00 && unit <= 0xd7_a3)
  );
}
