import type { GraphReader } from '#graph/reader.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import type { TermSynonyms } from '../text/query-text/expand-word.ts';
import { SynonymRecords, type SynonymRecord } from './synonym-records.ts';

/** What a hit by a word other than the one asked for counts. */
const WEIGHT_OF_ALTERNATE = 1;
const WEIGHT_OF_SYNONYM = 0.7;

const NONE: TermSynonyms = { synonyms: [], blocked: new Set() };

/** The synonyms as a search uses them, in the thread that it is made in. They are read again when one has changed. */
export class SynonymSource {
  readonly #records: SynonymRecords;
  readonly #byLanguage = new Map<string, ReadonlyMap<string, readonly SynonymRecord[]>>();
  #known: readonly SynonymRecord[] = [];

  constructor(reader: GraphReader) {
    this.#records = new SynonymRecords(reader);
  }

  /**
   * Of a word as the analyzer has folded it, which the query has as `asked`: what is stored for the language of the analyzer and
   * for any. As of the commit that the reader stands at.
   */
  readonly synonymsOf = (word: string, analyzer: Analyzer, asked: string): TermSynonyms => {
    const found = this.#index(analyzer).get(word);
    if (found === undefined) return NONE;
    const fitting = found.filter(
      ({ token }) => token === token.toLowerCase() || token === asked.normalize('NFC'),
    );
    if (fitting.length === 0) return NONE;
    const blocked = new Set(
      fitting.flatMap(({ Blocked }) => Blocked.map((term) => folded(term, analyzer))),
    );
    const weighted = [
      ...fitting.flatMap(({ Alternates }) => weigh(Alternates, WEIGHT_OF_ALTERNATE)),
      ...fitting.flatMap(({ Synonyms }) => weigh(Synonyms, WEIGHT_OF_SYNONYM)),
    ];
    return {
      synonyms: weighted.filter(({ term }) => !blocked.has(folded(term, analyzer))),
      blocked,
    };
  };

  /** By term, folded as the words of the query are. */
  #index(analyzer: Analyzer): ReadonlyMap<string, readonly SynonymRecord[]> {
    const all = this.#records.all();
    if (all !== this.#known) {
      this.#byLanguage.clear();
      this.#known = all;
    }
    const { language } = analyzer;
    const made = this.#byLanguage.get(language);
    if (made !== undefined) return made;
    const ofLanguage = all.filter((one) => one.language === language || one.language === '--');
    const index = Map.groupBy(ofLanguage, ({ token }) => folded(token, analyzer));
    this.#byLanguage.set(language, index);
    return index;
  }
}

function weigh(terms: readonly string[], weight: number): { term: string; weight: number }[] {
  return terms.map((term) => ({ term, weight }));
}

function folded(text: string, analyzer: Analyzer): string {
  return analyzer
    .analyze(text)
    .map(({ surface }) => surface)
    .join(' ');
}
