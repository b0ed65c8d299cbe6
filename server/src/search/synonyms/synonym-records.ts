import { ANY_LANGUAGE } from '@trellis/contract/languages.ts';
import type { SynonymLists } from '@trellis/contract/shapes/search.ts';
import { must } from '#base/assert.ts';
import { settingVersion } from '#access/settings.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { Problem } from '#base/problem.ts';
import { SYNONYMS_MAX } from '@trellis/contract/limits.ts';
import type { Analyzer } from '../analysis/analyzer.ts';
import type { TermSynonyms } from '../text/query-text/expand-word.ts';

/** A term of one language. */
export interface SynonymTerm {
  /** One of ANALYSIS_LANGUAGES; `--` holds for all of them. */
  readonly language: string;
  /** In lower case it stands for the word in any case, else only for the word as written. */
  readonly token: string;
}

interface SynonymEntry extends SynonymTerm, SynonymLists {}

/** This setting changes with every synonym, so that readers notice a change without reading all. */
export const SYNONYMS_SETTING = 'search-synonyms';
export const NO_LISTS: SynonymLists = { Synonyms: [], Alternates: [], Blocked: [] };

const TYPE = '_Synonyms';
const LISTS = ['Synonyms', 'Alternates', 'Blocked'] as const;

/** All synonyms of a workspace, cached until one changes. */
export class SynonymRecords {
  readonly #reader: GraphReader;
  #version: number | undefined;
  #all: readonly SynonymEntry[] = [];

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /** Sorted by term, at the reader's commit. The same list until something changes. */
  all(): readonly SynonymEntry[] {
    const version = settingVersion(this.#reader, SYNONYMS_SETTING);
    if (version !== this.#version) {
      const count = this.#reader.countOfType(TYPE);
      const ids = this.#reader.walkType(TYPE).next(count);
      this.#all = ids.map((id) => this.#read(id)).toSorted(byToken);
      this.#version = version;
    }
    return this.#all;
  }

  /** Undefined if nothing is stored for it. */
  find(term: SynonymTerm): SynonymEntry | undefined {
    const id = this.#reader.id({ type: TYPE, key: keyOf(term) });
    return id === undefined ? undefined : this.#read(id);
  }

  get count(): number {
    return this.#reader.countOfType(TYPE);
  }

  #read(id: number): SynonymEntry {
    const { values } = must(this.#reader.fields(id, ['Language', 'Token', ...LISTS]), 'a term');
    const [language, token, ...lists] = values;
    const [Synonyms, Alternates, Blocked] = lists.map((list) => (list ?? []) as readonly string[]);
    return {
      language: String(language),
      token: String(token),
      Synonyms: Synonyms!,
      Alternates: Alternates!,
      Blocked: Blocked!,
    };
  }
}

/** Nothing is kept for a term without synonyms. */
export function recordOperation(term: SynonymTerm, lists: SynonymLists): WriterOperation {
  const node = { type: TYPE, key: keyOf(term) };
  if (LISTS.every((name) => lists[name].length === 0)) return { op: 'delete', ...node };
  const { language, token } = term;
  const { Synonyms, Alternates, Blocked } = lists;
  const fields = { Language: language, Token: token, Synonyms, Alternates, Blocked };
  return { op: 'addOrUpdate', ...node, fields };
}

function keyOf({ language, token }: SynonymTerm): string {
  return `${language}:${token}`;
}

function byToken(a: SynonymEntry, b: SynonymEntry): number {
  return a.token < b.token ? -1 : a.token > b.token ? 1 : a.language < b.language ? -1 : 1;
}

/**
 * The lists as stored: each word once in any case, without the term itself, and without blocked
 * words among the others.
 */
export function tidyLists(token: string, lists: SynonymLists): SynonymLists {
  const Blocked = distinct(lists.Blocked, [token]);
  const Alternates = distinct(lists.Alternates, [token, ...Blocked]);
  const Synonyms = distinct(lists.Synonyms, [token, ...Blocked, ...Alternates]);
  return { Synonyms, Alternates, Blocked };
}

/**
 * Adds to the lists. The newer word wins: blocking removes a synonym, and adding a synonym unblocks
 * it. Throws `invalid_request` if a list grows too long.
 */
export function mergeLists(token: string, before: SynonymLists, added: SynonymLists): SynonymLists {
  const linked = [...added.Synonyms, ...added.Alternates];
  const merged = tidyLists(token, {
    Synonyms: [...distinct(before.Synonyms, added.Alternates), ...added.Synonyms],
    Alternates: [...distinct(before.Alternates, added.Synonyms), ...added.Alternates],
    Blocked: [...distinct(before.Blocked, linked), ...added.Blocked],
  });
  for (const [name, words] of Object.entries(merged)) {
    if (words.length <= SYNONYMS_MAX) continue;
    throw new Problem('invalid_request', `${name} would be ${words.length} words.`, {
      hint: `At most ${SYNONYMS_MAX} go with one term; replace=true takes the place of what there is.`,
      details: { fields: [{ path: name, message: `must have at most ${SYNONYMS_MAX} words` }] },
    });
  }
  return merged;
}

/** The words in order, each once, without `others`; case does not count. */
function distinct(words: readonly string[], others: readonly string[]): string[] {
  const seen = new Set(others.map(caseless));
  return words
    .map((word) => word.trim().normalize('NFC'))
    .filter((word) => word !== '' && !seen.has(caseless(word)) && seen.add(caseless(word)));
}

function caseless(word: string): string {
  return word.trim().normalize('NFC').toLowerCase();
}

/** Weight of a hit by another word than the one asked for. */
const WEIGHT_OF_ALTERNATE = 1;
const WEIGHT_OF_SYNONYM = 0.7;

const NONE: TermSynonyms = { synonyms: [], blocked: new Set() };

/** The synonyms as a search uses them. They are read again after one has changed. */
export class SynonymSource {
  readonly #records: SynonymRecords;
  readonly #byLanguage = new Map<string, ReadonlyMap<string, readonly SynonymEntry[]>>();
  #known: readonly SynonymEntry[] = [];

  constructor(reader: GraphReader) {
    this.#records = new SynonymRecords(reader);
  }

  /**
   * The synonyms stored for a word, in the language of the analyzer and in any. `word` is folded by
   * the analyzer, `asked` is how the query spells it.
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
  #index(analyzer: Analyzer): ReadonlyMap<string, readonly SynonymEntry[]> {
    const all = this.#records.all();
    if (all !== this.#known) {
      this.#byLanguage.clear();
      this.#known = all;
    }
    const { language } = analyzer;
    const made = this.#byLanguage.get(language);
    if (made !== undefined) return made;
    const ofLanguage = all.filter(
      (one) => one.language === language || one.language === ANY_LANGUAGE,
    );
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
