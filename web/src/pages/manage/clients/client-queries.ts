import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';

const TAKE = 50;
export const CLIENTS_KEY = ['oauth-clients'] as const;

export const clientsQuery = (skip: number) =>
  queryOptions({
    queryKey: [...CLIENTS_KEY, skip],
    queryFn: ({ signal }) => client.oauth.clients({ skip, take: TAKE }, { signal }),
    placeholderData: keepPreviousData,
  });

/** The users as whom a client acts; of many the first. */
export const clientGrantsQuery = (id: string) =>
  queryOptions({
    queryKey: [...CLIENTS_KEY, 'grants', id],
    queryFn: ({ signal }) => client.oauth.clientGrants(id, { take: TAKE }, { signal }),
  });
