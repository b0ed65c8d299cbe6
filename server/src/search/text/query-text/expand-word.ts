import { ANY_LANGUAGE } from '@trellis/contract/languages.ts';
import {
  SEARCH_EXPANDED_WORDS_MAX,
  SEARCH_QUERY_EXPANSIONS_MAX,
  SEARCH_QUERY_TOKENS_MAX,
  SEARCH_SYNONYM_WORDS_MAX,
  SEARCH_WORD_COMPLETIONS_MAX,
  SEARCH_WORD_TYPOS_MAX,
} from '#base/search-limits.ts';
import type { Analyzer, Token } from '../../analysis/analyzer.ts';
import type { Alternative, PhraseAlternative } from '../text-query.ts';
import type { SimilarWord, Vocabularies } from '../vocabulary/vocabularies.ts';
import type { CountedWord } from '../vocabulary/vocabulary.ts';
import { tooManyWords } from './parse-query-text.ts';

/** Synonyms of a term, and folded words that it never stands for, not even as typos. */
export interface TermSynonyms {
  readonly synonyms: readonly { readonly term: string; readonly weight: number }[];
  readonly blocked: ReadonlySet<string>;
}

/** The words that a query may be expanded to. */
export type WordList = Pick<Vocabularies, 'documentCount' | 'completions' | 'within'>;

export interface WordSources {
  /** One analyzer for each language that the documents may be in; at least one. */
  readonly analyzers: readonly Analyzer[];
  readonly vocabularies: WordList;
  readonly fuzziness: Fuzziness;
  /** Takes the word as folded by the analyzer, and as `asked`. Synonyms may be several words. */
  readonly synonymsOf?: (word: string, analyzer: Analyzer, asked: string) => TermSynonyms;
}

/** Why a term is searched for. Shown by `explain`. */
export interface TermOrigin {
  readonly kind: 'word' | 'typo' | 'prefix' | 'synonym';
  /**
   * The word in the query, and as it was looked up: different in case, accents, typos, completion
   * or synonym.
   */
  readonly asked: string;
  readonly word: string;
  readonly weight: number;
}

const WEIGHT_OF_TYPOS = [1, 0.7, 0.45] as const;
const WEIGHT_OF_COMPLETION = 0.8;
/** With `auto`, a word in more documents than this is no typo. */
const TYPED_RIGHT_DOCUMENTS_MIN = 5;

/** Turns the words of one query into terms for the index, and remembers why. */
export class WordExpander {
  readonly origins = new Map<string, TermOrigin[]>();
  readonly #sources: WordSources;
  /** Words of the vocabulary near a word, or that begin with it. */
  readonly #near = new Map<string, readonly SimilarWord[]>();
  readonly #completed = new Map<string, readonly CountedWord[]>();
  #tokens = 0;
  #expansions = 0;

  constructor(sources: WordSources) {
    this.#sources = sources;
  }

  /**
   * Alternatives of a word as typed; none if nothing of it can be searched. Several tokens are a
   * phrase.
   */
  word(text: string): Alternative[] {
    const alternatives = new Alternatives();
    const surfaces = new Set<string>();
    for (const analyzer of this.#sources.analyzers) {
      const tokens = this.#analyze(analyzer, text);
      this.#addTokens(alternatives, tokens, text);
      if (tokens.length === 1) surfaces.add(tokens[0]!.surface);
      this.#addSynonyms(alternatives, surfaceOf(tokens), text, analyzer);
    }
    for (const surface of surfaces) {
      this.#addTypos(alternatives, surface, text);
    }
    return alternatives.list;
  }

  /** Synonyms of runs of adjacent words, for each run that has some. */
  rows(words: readonly string[]): { words: readonly number[]; instead: readonly Alternative[] }[] {
    return this.#sources.analyzers.flatMap((analyzer) => {
      const surfaces = words.map((word) => surfaceOf(analyzer.analyze(word)));
      return rowsOf(words.length).flatMap((row) => {
        const instead = new Alternatives();
        const surface = row.map((i) => surfaces[i]).join(' ');
        const asked = row.map((i) => words[i]).join(' ');
        this.#addSynonyms(instead, surface, asked, analyzer);
        return instead.list.length === 0 ? [] : [{ words: row, instead: instead.list }];
      });
    });
  }

  /** The words in this order, without alternatives. */
  phrase(text: string): Alternative[] {
    const alternatives = new Alternatives();
    for (const analyzer of this.#sources.analyzers) {
      this.#addTokens(alternatives, this.#analyze(analyzer, text), text);
    }
    return alternatives.list;
  }

  /**
   * Alternatives of each token by itself, when any word will do: each pair of a run of Chinese,
   * say.
   */
  tokens(text: string): Alternative[][] {
    const lists = this.#sources.analyzers.map((analyzer) => this.#analyze(analyzer, text));
    const longest = lists.reduce((a, b) => (b.length > a.length ? b : a), []);
    return longest.length < 2 ? [] : longest.map(({ surface }) => this.phrase(surface));
  }

  prefix(text: string): Alternative[] {
    const alternatives = new Alternatives();
    for (const analyzer of this.#sources.analyzers) {
      const tokens = this.#analyze(analyzer, text);
      const last = tokens.at(-1);
      if (last === undefined) continue;
      const completed = this.#completions(last, text);
      this.#rememberTokens(tokens, text);
      if (tokens.length > 1) {
        const terms = [...new Set([last.term, ...completed])];
        alternatives.add(phraseOf(tokens, 1, terms));
        continue;
      }
      alternatives.add({ kind: 'term', term: last.term, weight: 1 });
      for (const term of completed) {
        alternatives.add({ kind: 'term', term, weight: WEIGHT_OF_COMPLETION });
      }
    }
    return alternatives.list;
  }

  /** Whether a word is a stop word in every language it may be of. */
  isStopWord(text: string): boolean {
    const { analyzers } = this.#sources;
    const known = analyzers.filter(({ language }) => language !== ANY_LANGUAGE);
    return (
      known.length > 0 &&
      known.every((analyzer) => {
        const tokens = analyzer.analyze(text);
        return tokens.length === 1 && analyzer.isStopWord(tokens[0]!.surface);
      })
    );
  }

  #analyze(analyzer: Analyzer, text: string): Token[] {
    const tokens = analyzer.analyze(text);
    this.#tokens += tokens.length / this.#sources.analyzers.length;
    if (this.#tokens > SEARCH_QUERY_TOKENS_MAX) throw tooManyWords();
    return tokens;
  }

  #addTokens(alternatives: Alternatives, tokens: readonly Token[], asked: string): void {
    this.#rememberTokens(tokens, asked);
    if (tokens.length === 1) {
      alternatives.add({ kind: 'term', term: tokens[0]!.term, weight: 1 });
    } else if (tokens.length > 1) alternatives.add(phraseOf(tokens, 1));
  }

  #addSynonyms(alternatives: Alternatives, word: string, asked: string, analyzer: Analyzer): void {
    const { synonymsOf } = this.#sources;
    if (synonymsOf === undefined || word === '') return;
    const { synonyms } = synonymsOf(word, analyzer, asked);
    for (const { term: synonym, weight } of synonyms) {
      if (this.#expansions >= SEARCH_QUERY_EXPANSIONS_MAX) return;
      const synonymTokens = this.#analyze(analyzer, synonym);
      if (synonymTokens.length === 0) continue;
      this.#expansions++;
      for (const { term } of synonymTokens) {
        this.#remember(term, { kind: 'synonym', asked, word: synonym, weight });
      }
      const single = synonymTokens.length === 1 ? synonymTokens[0] : undefined;
      alternatives.add(
        single === undefined
          ? phraseOf(synonymTokens, weight)
          : { kind: 'term', term: single.term, weight },
      );
    }
  }

  #blockedFor(surface: string, asked: string): ReadonlySet<string> {
    const { analyzers, synonymsOf } = this.#sources;
    if (synonymsOf === undefined) return new Set();
    return new Set(
      analyzers.flatMap((analyzer) => [...synonymsOf(surface, analyzer, asked).blocked]),
    );
  }

  #addTypos(alternatives: Alternatives, surface: string, asked: string): void {
    const allowed = this.#typosAllowed(surface);
    if (allowed === 0) return;
    const near = this.#remembered(this.#near, surface, () => this.#similar(surface, allowed));
    const blocked = near.length === 0 ? undefined : this.#blockedFor(surface, asked);
    for (const { word, distance } of near) {
      if (blocked?.has(word) === true) continue;
      const weight = WEIGHT_OF_TYPOS[distance]!;
      for (const term of this.#terms(word, { kind: 'typo', asked, word, weight })) {
        alternatives.add({ kind: 'term', term, weight });
      }
    }
  }

  /**
   * Looks each word up once, at most `SEARCH_EXPANDED_WORDS_MAX` words: each may read the whole
   * vocabulary.
   */
  #remembered<Word>(
    known: Map<string, readonly Word[]>,
    surface: string,
    lookUp: () => readonly Word[],
  ): readonly Word[] {
    let words = known.get(surface);
    if (words === undefined) {
      if (this.#near.size + this.#completed.size >= SEARCH_EXPANDED_WORDS_MAX) return [];
      known.set(surface, (words = lookUp()));
    }
    return words;
  }

  /** With `auto`, none for a number or for a word in so many documents that it is hardly a typo. */
  #typosAllowed(surface: string): 0 | 1 | 2 {
    const { fuzziness, vocabularies } = this.#sources;
    const allowed = typosAllowed(fuzziness, surface);
    if (allowed === 0 || fuzziness !== 'auto') return allowed;
    const isSure =
      /\p{N}/u.test(surface) || vocabularies.documentCount(surface) >= TYPED_RIGHT_DOCUMENTS_MIN;
    return isSure ? 0 : allowed;
  }

  /** With `auto`, words with two typos only where there is none with one. */
  #similar(surface: string, allowed: 1 | 2): SimilarWord[] {
    const { fuzziness, vocabularies } = this.#sources;
    const within = (distance: 1 | 2, firstLetterFixed: boolean): SimilarWord[] =>
      vocabularies
        .within(surface, distance, SEARCH_WORD_TYPOS_MAX + 1, { firstLetterFixed })
        .filter((similar) => similar.distance > 0);
    if (fuzziness !== 'auto') return within(allowed, false);
    const near = within(1, false);
    return near.length > 0 || allowed === 1 ? near : within(2, true);
  }

  #completions({ surface }: Token, asked: string): string[] {
    const weight = WEIGHT_OF_COMPLETION;
    return this.#remembered(this.#completed, surface, () =>
      this.#sources.vocabularies.completions(surface, SEARCH_WORD_COMPLETIONS_MAX),
    ).flatMap(({ word }) => this.#terms(word, { kind: 'prefix', asked, word, weight }));
  }

  /** The terms that a word of the vocabulary may have been indexed as. */
  #terms(word: string, origin: TermOrigin): string[] {
    if (this.#expansions >= SEARCH_QUERY_EXPANSIONS_MAX) return [];
    const terms = new Set(this.#sources.analyzers.map((analyzer) => analyzer.stem(word)));
    this.#expansions += terms.size;
    for (const term of terms) this.#remember(term, origin);
    return [...terms];
  }

  #rememberTokens(tokens: readonly Token[], asked: string): void {
    for (const { term, surface } of tokens) {
      this.#remember(term, { kind: 'word', asked, word: surface, weight: 1 });
    }
  }

  #remember(term: string, origin: TermOrigin): void {
    const known = this.origins.get(term);
    if (known === undefined) this.origins.set(term, [origin]);
    else if (!known.some(({ kind, word }) => kind === origin.kind && word === origin.word)) {
      known.push(origin);
    }
  }
}

function surfaceOf(tokens: readonly Token[]): string {
  return tokens.map(({ surface }) => surface).join(' ');
}

/** Every run of two or more adjacent words, as indexes: for 3 words [0,1], [0,1,2], [1,2]. */
function rowsOf(count: number): number[][] {
  const rows: number[][] = [];
  for (let from = 0; from < count; from++) {
    const longest = Math.min(SEARCH_SYNONYM_WORDS_MAX, count - from);
    for (let length = 2; length <= longest; length++) {
      rows.push(Array.from({ length }, (_, i) => from + i));
    }
  }
  return rows;
}

/** A phrase of tokens at their distances in the text; the last may be any of several terms. */
function phraseOf(
  tokens: readonly Token[],
  weight: number,
  lastTerms?: readonly string[],
): PhraseAlternative {
  const first = tokens[0]!.position;
  const words = tokens.map(({ term, position }, i) => ({
    offset: position - first,
    terms: i === tokens.length - 1 && lastTerms !== undefined ? lastTerms : [term],
  }));
  return { kind: 'phrase', words, weight };
}

/** Distinct alternatives. The first one stays, so that what was asked keeps its weight. */
class Alternatives {
  readonly #byKey = new Map<string, Alternative>();

  add(alternative: Alternative): void {
    const key = alternative.kind === 'term' ? alternative.term : JSON.stringify(alternative.words);
    if (!this.#byKey.has(key)) this.#byKey.set(key, alternative);
  }

  get list(): Alternative[] {
    return [...this.#byKey.values()];
  }
}

/** How many typos a word of a query may have, or `auto`: by its length (open-shapes, section 6). */
type Fuzziness = 0 | 1 | 2 | 'auto';

/** From this length a word may have one typo, or two: Elasticsearch's AUTO:3,6. */
const ONE_TYPO_FROM_CODE_POINTS = 3;
const TWO_TYPOS_FROM_CODE_POINTS = 6;

export function typosAllowed(fuzziness: Fuzziness, word: string): 0 | 1 | 2 {
  if (fuzziness !== 'auto') return fuzziness;
  let codePoints = 0;
  for (const _ of word) {
    if (++codePoints === TWO_TYPOS_FROM_CODE_POINTS) return 2;
  }
  return codePoints >= ONE_TYPO_FROM_CODE_POINTS ? 1 : 0;
}
