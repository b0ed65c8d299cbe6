import type {
  SearchIndexState,
  SearchSettings,
  StoredSynonyms,
  SynonymList,
  SynonymLists,
  SynonymRecord,
} from '@trellis/contract/shapes/search.ts';
import { jsonBody } from './client-base.ts';
import { FilesClient } from './files-client.ts';
import type { PageRequest } from './pages.ts';
import type { CallOptions } from './transport.ts';

/** A term of a language of two letters; `--` is for any. */
export interface SynonymTerm {
  readonly token: string;
  readonly lang: string;
}

export interface SynonymListRequest extends PageRequest {
  readonly lang: string;
  /** Part of a term, in any case. */
  readonly query?: string | undefined;
  /** A row for each word that a term is linked to. */
  readonly includeSynonyms?: boolean | undefined;
}

export interface SynonymChangeOptions extends CallOptions {
  /** Whether the term holds for the word in any case, as it does when not given. */
  readonly ignoreCase?: boolean | undefined;
  /** False adds to what there is. */
  readonly replace?: boolean | undefined;
}

/** What searches find, and how; for administrators, and synonyms also for those with the role CanManageSynonyms. */
export class SearchClient extends FilesClient {
  getSearchSettings(options?: CallOptions): Promise<SearchSettings> {
    return this.get('/api/search/settings', options);
  }

  /** Takes the place of all settings; what has changed is indexed in the background. */
  putSearchSettings(settings: SearchSettings, options?: CallOptions): Promise<SearchSettings> {
    return this.put('/api/search/settings', settings, options);
  }

  /** How far the index of the server is that answers. */
  getSearchIndex(options?: CallOptions): Promise<SearchIndexState> {
    return this.get('/api/search/index', options);
  }

  /** One page, by term. */
  listSynonyms(request: SynonymListRequest, options?: CallOptions): Promise<SynonymList> {
    const { lang, query, includeSynonyms, skip, take } = request;
    return this.transport.json({
      method: 'GET',
      path: '/api/search/synonyms/list/for',
      query: { lang, query, includeSynonyms: includeSynonyms === true ? 1 : undefined },
      headers: {
        ...(skip === undefined ? {} : { 'x-msk-skip': String(skip) }),
        ...(take === undefined ? {} : { 'x-msk-limit': String(take) }),
      },
      ...options,
    });
  }

  /** `tolerance`, 0.7 to 1: how similar to the term its suggestions must be. */
  getSynonyms(
    { token, lang, tolerance }: SynonymTerm & { readonly tolerance?: number | undefined },
    options?: CallOptions,
  ): Promise<SynonymRecord> {
    return this.get('/api/search/synonyms/for', options, { token, lang, tolerance });
  }

  /** In one direction: mirror the call to link a pair. */
  putSynonyms(
    { token, lang }: SynonymTerm,
    lists: SynonymLists,
    { ignoreCase, replace, ...options }: SynonymChangeOptions = {},
  ): Promise<StoredSynonyms> {
    return this.transport.json({
      method: 'PUT',
      path: '/api/search/synonyms/for',
      query: { token, lang, ignoreCase: flag(ignoreCase), replace: flag(replace) },
      ...jsonBody(lists),
      ...options,
    });
  }
}

function flag(value: boolean | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
