import type { SynonymList } from '@trellis/contract/shapes/search.ts';
import { callTo } from '../operation-methods.ts';
import type { PageRequest } from '../pages.ts';
import type { CallOptions, Transport } from '../transport.ts';

export interface SynonymListRequest extends PageRequest {
  /** Two letters; `--` is for any language. */
  readonly lang: string;
  /** Part of a term, in any case. */
  readonly query?: string | undefined;
  /** A row for each word that a term is linked to. */
  readonly includeSynonyms?: boolean | undefined;
}

/** One page, by term. */
export function listSynonyms(
  transport: Transport,
  request: SynonymListRequest,
  options?: CallOptions,
): Promise<SynonymList> {
  const { lang, query, includeSynonyms, skip, take } = request;
  return transport.json({
    ...callTo('synonyms', 'list'),
    query: { lang, query, includeSynonyms: includeSynonyms === true ? 1 : undefined },
    headers: {
      ...(skip === undefined ? {} : { 'x-msk-skip': String(skip) }),
      ...(take === undefined ? {} : { 'x-msk-limit': String(take) }),
    },
    ...options,
  });
}
