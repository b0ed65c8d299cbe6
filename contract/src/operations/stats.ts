import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import { endpointMetricsList, overviewStatistics } from '../shapes/stats.ts';

const table = {
  200: {
    description: 'A table with aligned columns.',
    body: z.string(),
    contentType: 'text/plain',
  },
} as const;

export const operations = withIds({
  getEndpointMetrics: {
    sdk: 'endpoints.getMetrics',
    area: 'stats',
    method: 'GET',
    path: '/api/endpoints/metrics',
    auth: 'admin',
    responses: {
      200: { description: 'Calls of each endpoint on this server.', body: endpointMetricsList },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'Tell how often each endpoint was called, how it ended and how long it took.',
  },

  getDatabaseStatistics: {
    sdk: 'stats.getDatabase',
    area: 'stats',
    method: 'GET',
    path: '/api/graph/stats/database',
    auth: 'admin',
    responses: table,
    errors: [],
    onReplica: 'serve',
    summary: 'Count the nodes and edges of each type.',
  },

  getPoolStatistics: {
    sdk: 'stats.getPool',
    area: 'stats',
    method: 'GET',
    path: '/api/graph/stats/pool',
    auth: 'admin',
    responses: table,
    errors: [],
    onReplica: 'serve',
    summary: 'Show the counters of worker pools and caches of this process.',
  },

  getOverviewStatistics: {
    sdk: 'stats.getOverview',
    area: 'stats',
    method: 'GET',
    path: '/api/graph/stats/overview',
    auth: 'admin',
    responses: {
      200: { description: 'Counts, and samples of the load.', body: overviewStatistics },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'Count the nodes and edges of each type, and show the load of the last hour.',
  },
} as const satisfies Rows);
