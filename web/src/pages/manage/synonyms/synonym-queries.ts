import { keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';

export const SYNONYMS_TAKE = 50;
/** How similar suggestions are where nobody says (docs, search.md). */
export const TOLERANCE_DEFAULT = 0.8;

export interface SynonymFilter {
  readonly lang: string;
  readonly query: string | undefined;
  /** A row for each word that a term is linked to. */
  readonly includeSynonyms: boolean;
  readonly skip: number;
}

export const synonymsQuery = (filter: SynonymFilter) =>
  queryOptions({
    queryKey: ['synonyms', 'list', filter],
    queryFn: ({ signal }) => client.synonyms.list({ ...filter, take: SYNONYMS_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });

export const termQuery = (lang: string, token: string, tolerance: number) =>
  queryOptions({
    queryKey: ['synonyms', 'term', lang, token, tolerance],
    queryFn: ({ signal }) => client.synonyms.get({ lang, token, tolerance }, { signal }),
    // A form begins with what is stored now.
    gcTime: 0,
  });

export function refreshSynonyms(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: ['synonyms'] });
}
