import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Duplicate } from '@trellis/contract/shapes/duplicate.ts';
import { client } from '../../../api/client.ts';

/** Beginning of the key of whatever tells of duplicates. */
export const DUPLICATES_KEY = ['duplicates'] as const;
export const PAIRS_TAKE = 50;

export const pairsQuery = (state: Duplicate['state'], type: string | undefined, skip: number) =>
  queryOptions({
    queryKey: [...DUPLICATES_KEY, state, type, skip],
    queryFn: ({ signal }) => {
      const query = { state, skip, take: PAIRS_TAKE, ...(type === undefined ? {} : { type }) };
      return client.duplicates.list(query, { signal });
    },
    placeholderData: keepPreviousData,
  });

export const mergesQuery = (skip: number) =>
  queryOptions({
    queryKey: [...DUPLICATES_KEY, 'merges', skip],
    queryFn: ({ signal }) => client.duplicates.merges({ skip, take: PAIRS_TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });

/** Both nodes of a pair with what goes with them. */
export const comparedQuery = (uids: readonly string[]) =>
  queryOptions({
    queryKey: [...DUPLICATES_KEY, 'compared', ...uids],
    queryFn: ({ signal }) =>
      Promise.all(uids.map((uid) => client.nodes.getRecord(uid, { signal }))),
  });
