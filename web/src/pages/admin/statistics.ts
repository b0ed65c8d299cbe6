import { queryOptions } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { LOAD_REFRESH_MS } from '../../app/refresh-intervals.ts';

/** What the overview shows, which the server samples as often as this asks. */
export const statisticsQuery = queryOptions({
  queryKey: ['overview-statistics'],
  queryFn: ({ signal }) => client.stats.getOverview({ signal }),
  refetchInterval: LOAD_REFRESH_MS,
});

export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ signal }) => {
    const report = await client.status.getHealth({ signal });
    if ('parts' in report) return report;
    throw new Error('The server tells this to administrators only.');
  },
  refetchInterval: LOAD_REFRESH_MS,
});

/** Beginning of the key of whatever tells of replicas. */
export const REPLICAS_KEY = ['replicas'] as const;

export const replicaHealthQuery = queryOptions({
  queryKey: [...REPLICAS_KEY, 'health'],
  queryFn: ({ signal }) => client.replicas.getHealth({ signal, forcePrimary: true }),
});
