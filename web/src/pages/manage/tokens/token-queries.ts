import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { TokenKind } from '@trellis/contract/rights.ts';
import { client } from '../../../api/client.ts';

export const TOKENS_TAKE = 50;

export interface TokenFilter {
  readonly kind: TokenKind | undefined;
  /** Undefined for both. */
  readonly revoked: boolean | undefined;
  readonly skip: number;
}

export const tokensQuery = (filter: TokenFilter) =>
  queryOptions({
    queryKey: ['tokens', filter],
    queryFn: ({ signal }) => client.tokens.list({ ...filter, take: TOKENS_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });
