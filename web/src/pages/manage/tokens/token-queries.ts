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

/** Which of the users that tokens act as are deactivated: their tokens are refused. */
export const deactivatedQuery = (uids: readonly string[]) =>
  queryOptions({
    queryKey: ['deactivated-users', uids],
    queryFn: async ({ signal }): Promise<ReadonlySet<string>> => {
      if (uids.length === 0) return new Set();
      const users = await client.nodes.getMany({ uids }, { signal });
      // What is not there any more cannot act either.
      return new Set(uids.filter((_, i) => users[i]?.['Active'] !== true));
    },
  });
