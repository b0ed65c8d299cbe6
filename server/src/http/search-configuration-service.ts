import type { Caller } from '#access/caller.ts';
import type {
  SearchIndexState,
  SearchSettings,
  StoredSynonyms,
  SynonymList,
  SynonymLists,
  SynonymRecord,
} from '@trellis/contract/shapes/search.ts';
import type { Awaitable } from './answer.ts';

/** `address` is that of the client, for the audit. */
export interface SearchConfigurationService {
  readonly settings: {
    get(caller: Caller): Awaitable<SearchSettings>;
    /** Throws `invalid_request` for what the schema does not have, `version_conflict`. */
    put(caller: Caller, settings: SearchSettings, address: string): Promise<SearchSettings>;
  };
  /** All throw `invalid_request` for a language that is not known. */
  readonly synonyms: {
    /** With `isPairs` a row for each word that a term is linked to. */
    list(
      caller: Caller,
      query: {
        readonly language: string;
        readonly part: string;
        readonly isPairs: boolean;
        readonly skip: number;
        readonly take: number;
      },
    ): Awaitable<SynonymList>;
    get(caller: Caller, term: SynonymTerm, tolerance: number): Awaitable<SynonymRecord>;
    put(
      caller: Caller,
      term: SynonymTerm,
      lists: SynonymLists,
      how: {
        readonly ignoreCase: boolean;
        readonly replace: boolean;
        readonly address: string;
      },
    ): Promise<StoredSynonyms>;
  };
  /** Of this process. */
  indexState(): SearchIndexState;
}

interface SynonymTerm {
  readonly language: string;
  readonly token: string;
}
