import { queryOptions } from '@tanstack/react-query';
import { client } from '../../../api/client.ts';

/** Beginning of the key of whatever tells of triggers. */
export const TRIGGERS_KEY = ['triggers'] as const;
const EVENTS_TAKE = 100;

export const triggersQuery = queryOptions({
  queryKey: [...TRIGGERS_KEY, 'list'],
  queryFn: ({ signal }) => client.triggers.list({ signal }),
});

export const setAsideQuery = (endpoint: string) =>
  queryOptions({
    queryKey: [...TRIGGERS_KEY, 'set-aside', endpoint],
    queryFn: ({ signal }) =>
      client.triggers.listSetAside({ endpoint, take: EVENTS_TAKE }, { signal }),
  });
