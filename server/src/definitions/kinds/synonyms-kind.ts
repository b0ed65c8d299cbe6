import { ANY_LANGUAGE } from '@trellis/contract/languages.ts';
import type { SynonymLists } from '@trellis/contract/shapes/search.ts';
import type { Caller } from '#access/caller.ts';
import { Problem } from '#base/problem.ts';
import type { GraphReader } from '#graph/reader.ts';
import { NO_LISTS, SynonymRecords, tidyLists } from '#search/synonyms/synonym-records.ts';
import { checkLanguage, type SynonymService } from '#search/synonyms/synonym-service.ts';
import { inOrder } from '../definition-files.ts';
import type { Definition, DefinitionKind, Importer, ImportMode } from '../definition-kind.ts';

/** Throw `invalid_request` for what a request would be refused for. */
export interface SynonymParsers {
  token(token: string): string;
  lists(lists: unknown): SynonymLists;
}

type Terms = Readonly<Record<string, SynonymLists>>;

const ANY_NAME = 'any';

/**
 * The terms of one language are one definition, under the two letters of the language, or "any".
 */
export class SynonymsKind implements DefinitionKind {
  readonly kind = 'synonyms';
  readonly layout = { folder: 'synonyms' };
  readonly nothing = {};
  readonly #reader: GraphReader;
  readonly #records: SynonymRecords;
  readonly #synonyms: Pick<SynonymService, 'put'>;
  readonly #parsers: SynonymParsers;

  constructor(reader: GraphReader, synonyms: Pick<SynonymService, 'put'>, parsers: SynonymParsers) {
    this.#reader = reader;
    this.#records = new SynonymRecords(reader);
    this.#synonyms = synonyms;
    this.#parsers = parsers;
  }

  names(): string[] {
    const languages = new Set(this.#all().map(({ language }) => language));
    return [...languages].map((language) => (language === ANY_LANGUAGE ? ANY_NAME : language));
  }

  read(_caller: Caller, name: string): Definition | undefined {
    const language = languageOf(name);
    const records = this.#all().filter((one) => one.language === language);
    if (records.length === 0) return undefined;
    return tidy(records.map(({ token, ...lists }) => [token, lists] as const));
  }

  parse(given: Definition, name: string): Definition {
    checkLanguage(languageOf(name));
    const terms = Object.entries(given).map(([written, lists]) => {
      const token = this.#parsers.token(written).normalize('NFC');
      return [token, tidyLists(token, this.#parsers.lists(lists))] as const;
    });
    return tidy(terms);
  }

  /** A term that is given with empty lists goes. */
  merge(before: Definition | undefined, given: Definition, { isMirror }: ImportMode): Definition {
    const terms = { ...(isMirror ? {} : before), ...given } as Terms;
    return tidy(Object.entries(terms).filter(([, lists]) => !isEmpty(lists)));
  }

  async write(
    by: Importer,
    name: string,
    change: { readonly before: Definition | undefined; readonly after: Definition },
  ): Promise<[]> {
    const [before, after] = [(change.before ?? {}) as Terms, change.after as Terms];
    for (const token of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const lists = after[token] ?? NO_LISTS;
      if (JSON.stringify(before[token]) === JSON.stringify(lists)) continue;
      await this.#put(by, { language: languageOf(name), token }, lists);
    }
    return [];
  }

  async delete(by: Importer, name: string): Promise<void> {
    const before = this.read(by.caller, name);
    await this.write(by, name, { before, after: {} });
  }

  async #put(
    { caller, address }: Importer,
    term: { readonly language: string; readonly token: string },
    lists: SynonymLists,
  ): Promise<void> {
    // The token is as it was stored: whether it holds in any case shows in its letters.
    const how = { ignoreCase: false, replace: true, address };
    await this.#synonyms.put(caller, term, lists, how);
  }

  #all() {
    this.#reader.refresh();
    return this.#records.all();
  }
}

function tidy(terms: Iterable<readonly [string, SynonymLists]>): Definition {
  const lists = ({ Synonyms, Alternates, Blocked }: SynonymLists) => ({
    Alternates,
    Blocked,
    Synonyms,
  });
  const entries = [...terms].map(([token, one]) => [token, lists(one)]);
  return inOrder(Object.fromEntries(entries)) as Definition;
}

function isEmpty(lists: SynonymLists): boolean {
  return Object.values(lists).every((words: readonly string[]) => words.length === 0);
}

function languageOf(name: string): string {
  if (name === ANY_LANGUAGE) {
    throw new Problem(
      'invalid_request',
      `Terms for any language belong in the file "${ANY_NAME}.json"`,
    );
  }
  return name === ANY_NAME ? ANY_LANGUAGE : name;
}
