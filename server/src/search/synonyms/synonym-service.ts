import type {
  StoredSynonyms,
  SynonymList,
  SynonymLists,
  SynonymRecord,
} from '@trellis/contract/shapes/search.ts';
import { type AuditTrail, deed } from '#access/audit-event.ts';
import type { Caller } from '#access/caller.ts';
import { settingOperation, settingVersion } from '#access/settings.ts';
import { SYNONYM_SUGGESTIONS_MAX, SYNONYM_TERMS_MAX } from '#base/search-limits.ts';
import { OneAtATime } from '#base/one-at-a-time.ts';
import { Problem } from '#base/problem.ts';
import type { CommitPort } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';
import type { Staging } from '#graph/staged-commits.ts';
import type { SimilarWord } from '../service/suggest.ts';
import {
  mergeLists,
  NO_LISTS,
  recordOperation,
  SynonymRecords,
  SYNONYMS_SETTING,
  type SynonymTerm,
  tidyLists,
} from './synonym-records.ts';
import { ANALYSIS_LANGUAGES } from '../analysis/languages.ts';

/** Words of the index that stand in what the caller may read. */
export interface WordSuggestions {
  /** At least as similar as `tolerance`, which is 0.7 to 1; the most similar first. */
  similarTo(
    caller: Caller,
    word: string,
    language: string,
    tolerance: number,
  ): readonly SimilarWord[];
}

export interface SynonymServiceParts {
  readonly reader: GraphReader;
  readonly commits: CommitPort;
  readonly audit: AuditTrail;
  readonly words: WordSuggestions;
}

export interface SynonymListQuery {
  readonly language: string;
  /** Part of a term, in any case. */
  readonly part: string;
  readonly isPairs: boolean;
  readonly skip: number;
  readonly take: number;
}

export interface SynonymChange {
  /** Whether the term holds for the word in any case. */
  readonly ignoreCase: boolean;
  /** False adds to what there is. */
  readonly replace: boolean;
  readonly address: string;
}

/**
 * The synonyms of a workspace (specification, section 4.5). They go one way: a search for the term
 * finds its synonyms, not the reverse. Who may call is decided before.
 */
export class SynonymService {
  readonly #parts: SynonymServiceParts;
  readonly #records: SynonymRecords;
  /** Each starts from the result of the last. */
  readonly #changes = new OneAtATime();

  constructor(parts: SynonymServiceParts) {
    this.#parts = parts;
    this.#records = new SynonymRecords(parts.reader);
  }

  list(_caller: Caller, query: SynonymListQuery): SynonymList {
    const { language, isPairs, skip, take } = query;
    checkLanguage(language);
    this.#parts.reader.refresh();
    const part = query.part.trim().normalize('NFC').toLowerCase();
    const found = this.#records
      .all()
      .filter((one) => one.language === language && one.token.toLowerCase().includes(part));
    const rows = found.flatMap<string | [string, string]>(({ token, Synonyms, Alternates }) =>
      isPairs ? [...Synonyms, ...Alternates].map((word) => [token, word]) : [token],
    );
    return { Results: rows.slice(skip, skip + take), TotalCount: rows.length };
  }

  /** The entry of the term as written, else of its lower-case form, else empty lists. */
  get(caller: Caller, { language, token }: SynonymTerm, tolerance: number): SynonymRecord {
    checkLanguage(language);
    this.#parts.reader.refresh();
    const written = { language, token: tidyToken(token, false) };
    const found = this.#records.find(written) ??
      this.#records.find({ language, token: tidyToken(token, true) }) ?? {
        ...written,
        ...NO_LISTS,
      };
    const known = new Set(
      [found.token, ...found.Synonyms, ...found.Alternates, ...found.Blocked].map((word) =>
        word.toLowerCase(),
      ),
    );
    const Suggestions = this.#parts.words
      .similarTo(caller, found.token, language, tolerance)
      .filter(({ term }) => !known.has(term.toLowerCase()))
      .slice(0, SYNONYM_SUGGESTIONS_MAX);
    return { ...stored(found, found), Suggestions };
  }

  /** Throws `invalid_request`. */
  async put(
    caller: Caller,
    { language, token }: SynonymTerm,
    lists: SynonymLists,
    change: SynonymChange,
  ): Promise<StoredSynonyms> {
    checkLanguage(language);
    const term = { language, token: tidyToken(token, change.ignoreCase) };
    return stored(term, await this.#changes.run(() => this.#put(caller, term, lists, change)));
  }

  /** The same, as a part of a larger commit. */
  over({ reader, commits }: Staging): SynonymService {
    return new SynonymService({ ...this.#parts, reader, commits });
  }

  async #put(
    caller: Caller,
    term: SynonymTerm,
    given: SynonymLists,
    { replace, address }: SynonymChange,
  ): Promise<SynonymLists> {
    const { reader, commits, audit } = this.#parts;
    reader.refresh();
    const before = this.#records.find(term);
    const lists = replace
      ? tidyLists(term.token, given)
      : mergeLists(term.token, before ?? NO_LISTS, given);
    const isEmpty = Object.values(lists).every((words: readonly string[]) => words.length === 0);
    if (before === undefined && isEmpty) return lists;
    if (before === undefined && this.#records.count >= SYNONYM_TERMS_MAX) throw tooMany();
    const changes = settingVersion(reader, SYNONYMS_SETTING) + 1;
    const target = { kind: 'synonyms', id: `${term.language}:${term.token}` };
    await commits.commit({
      system: true,
      operations: [
        recordOperation(term, lists),
        settingOperation(SYNONYMS_SETTING, { changes }),
        audit.operation(deed('search.synonyms-changed', { caller, address }, target, { ...lists })),
      ],
    });
    return lists;
  }
}

function stored(
  { language, token }: SynonymTerm,
  { Synonyms, Alternates, Blocked }: SynonymLists,
): StoredSynonyms {
  return { Token: token, Language: language, Synonyms, Alternates, Blocked };
}

function tidyToken(token: string, ignoreCase: boolean): string {
  const tidy = token.trim().normalize('NFC');
  return ignoreCase ? tidy.toLowerCase() : tidy;
}

/** Throws `invalid_request`. */
export function checkLanguage(language: string): void {
  if (ANALYSIS_LANGUAGES.includes(language)) return;
  const message = 'is no language of the text search';
  throw new Problem('invalid_request', `query, lang: "${language}" ${message}`, {
    hint: `It is one of ${ANALYSIS_LANGUAGES.join(', ')}; "--" is for any.`,
    details: { fields: [{ path: 'lang', message }] },
  });
}

function tooMany(): Problem {
  return new Problem('invalid_request', `There are ${SYNONYM_TERMS_MAX} terms already.`, {
    hint: 'Empty the lists of terms that are not needed any more.',
  });
}
