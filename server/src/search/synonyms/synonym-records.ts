import { must } from '#base/assert.ts';
import { settingVersion } from '#access/settings.ts';
import type { GraphOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import { Problem } from '#base/problem.ts';
import { SYNONYMS_MAX } from '@trellis/contract/limits.ts';

/** A term of one language. */
export interface SynonymTerm {
  /** One of ANALYSIS_LANGUAGES; `--` holds for all of them. */
  readonly language: string;
  /** In lower case it holds for the word in any case, otherwise for the word as it is written here. */
  readonly token: string;
}

/** What goes with a term in searches; each holds in one direction only (specification, section 4.5). */
export interface SynonymLists {
  /** Other words that are searched too; a hit by one of them counts for less. */
  readonly Synonyms: readonly string[];
  /** Other ways to write the same; a hit by one of them counts as much. */
  readonly Alternates: readonly string[];
  /** Words that the term never stands for, nor is suggested: neither as a typo of it nor as a synonym for it. */
  readonly Blocked: readonly string[];
}

export interface SynonymRecord extends SynonymTerm, SynonymLists {}

/** The setting that changes with each of them, so that nobody has to look through them to see that nothing has. */
export const SYNONYMS_SETTING = 'search-synonyms';
export const NO_LISTS: SynonymLists = { Synonyms: [], Alternates: [], Blocked: [] };

const TYPE = '_Synonyms';
const LISTS = ['Synonyms', 'Alternates', 'Blocked'] as const;

/** All of a workspace, kept until one has changed. */
export class SynonymRecords {
  readonly #reader: GraphReader;
  #version: number | undefined;
  #all: readonly SynonymRecord[] = [];

  constructor(reader: GraphReader) {
    this.#reader = reader;
  }

  /** As of the commit that the reader stands at, by term; the same list for as long as nothing has changed. */
  all(): readonly SynonymRecord[] {
    const version = settingVersion(this.#reader, SYNONYMS_SETTING);
    if (version !== this.#version) {
      const count = this.#reader.countOfType(TYPE);
      const ids = this.#reader.walkType(TYPE).next(count);
      this.#all = ids.map((id) => this.#read(id)).toSorted(byToken);
      this.#version = version;
    }
    return this.#all;
  }

  /** Undefined when nothing goes with it. */
  find(term: SynonymTerm): SynonymRecord | undefined {
    const id = this.#reader.id({ type: TYPE, key: keyOf(term) });
    return id === undefined ? undefined : this.#read(id);
  }

  get count(): number {
    return this.#reader.countOfType(TYPE);
  }

  #read(id: number): SynonymRecord {
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
export function recordOperation(term: SynonymTerm, lists: SynonymLists): GraphOperation {
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

function byToken(a: SynonymRecord, b: SynonymRecord): number {
  return a.token < b.token ? -1 : a.token > b.token ? 1 : a.language < b.language ? -1 : 1;
}

/** Lists as they are stored: each word once, whatever its case; the term itself, and what is blocked, goes with nothing. */
export function tidyLists(token: string, lists: SynonymLists): SynonymLists {
  const Blocked = distinct(lists.Blocked, [token]);
  const Alternates = distinct(lists.Alternates, [token, ...Blocked]);
  const Synonyms = distinct(lists.Synonyms, [token, ...Blocked, ...Alternates]);
  return { Synonyms, Alternates, Blocked };
}

/**
 * Adds to what there is. What is blocked now does not stay a synonym, and what is made a synonym now does not stay blocked: the
 * newer word holds. Throws `invalid_request` when a list grows too long.
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

/** In their order, each once, without those of `others`; in any case. */
function distinct(words: readonly string[], others: readonly string[]): string[] {
  const seen = new Set(others.map(caseless));
  return words
    .map((word) => word.trim().normalize('NFC'))
    .filter((word) => word !== '' && !seen.has(caseless(word)) && seen.add(caseless(word)));
}

function caseless(word: string): string {
  return word.trim().normalize('NFC').toLowerCase();
}
