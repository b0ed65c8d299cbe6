import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';

/** Beginning of the key of whatever tells of sessions. */
export const SESSIONS_KEY = ['admin-agent'] as const;

export const sessionListQuery = (take: number) =>
  queryOptions({
    queryKey: [...SESSIONS_KEY, 'list', take],
    queryFn: ({ signal }) => client.adminAgent.listSessions({ take }, { signal }),
    placeholderData: keepPreviousData,
  });

export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: [...SESSIONS_KEY, 'one', id],
    queryFn: ({ signal }) => client.adminAgent.getSession(id, { signal }),
  });
