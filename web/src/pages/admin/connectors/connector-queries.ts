import { queryOptions } from '@tanstack/react-query';
import { LIST_TAKE_MAX } from '@trellis/contract/limits.ts';
import { client } from '../../../api/client.ts';

/** Beginning of the key of whatever tells of connectors. */
export const CONNECTORS_KEY = ['connectors'] as const;

/** There are fewer than a page holds, as there are of the runs that are kept. */
export const connectorsQuery = queryOptions({
  queryKey: [...CONNECTORS_KEY, 'list'],
  queryFn: ({ signal }) => client.connectors.list({ take: LIST_TAKE_MAX }, { signal }),
});

export const ACCESS_TAKE = 50;

export const connectorAccessQuery = (id: string, skip: number) =>
  queryOptions({
    queryKey: [...CONNECTORS_KEY, 'access', id, skip],
    queryFn: ({ signal }) => client.connectors.access(id, { skip, take: ACCESS_TAKE }, { signal }),
  });

export const connectorRunsQuery = (id: string) =>
  queryOptions({
    queryKey: [...CONNECTORS_KEY, 'runs', id],
    queryFn: ({ signal }) => client.connectors.runs(id, { take: LIST_TAKE_MAX }, { signal }),
  });
