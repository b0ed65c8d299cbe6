import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import { endpointMetricsList, overviewStatistics, relationStatistics } from '../shapes/stats.ts';

const table = {
  200: {
    description: 'A table with aligned columns.',
    body: z.string(),
    contentType: 'text/plain',
  },
} as const;

const reads = { area: 'stats', auth: 'admin', onReplica: 'serve' } as const;

export const operations = withIds({
  getEndpointMetrics: {
    ...reads,
    sdk: 'endpoints.getMetrics',
    method: 'GET',
    path: '/api/endpoints/metrics',
    responses: {
      200: { description: 'Calls of each endpoint on this server.', body: endpointMetricsList },
    },
    errors: [],
    summary: 'Tell how often each endpoint was called, how it ended and how long it took.',
  },

  getDatabaseStatistics: {
    ...reads,
    sdk: 'stats.getDatabase',
    method: 'GET',
    path: '/api/graph/stats/database',
    responses: table,
    errors: [],
    summary: 'Count the nodes and edges of each type.',
  },

  getPoolStatistics: {
    ...reads,
    sdk: 'stats.getPool',
    method: 'GET',
    path: '/api/graph/stats/pool',
    responses: table,
    errors: [],
    summary: 'Show the counters of worker pools and caches of this process.',
  },

  getOverviewStatistics: {
    ...reads,
    sdk: 'stats.getOverview',
    method: 'GET',
    path: '/api/graph/stats/overview',
    responses: {
      200: { description: 'Counts, and samples of the load.', body: overviewStatistics },
    },
    errors: [],
    summary: 'Count the nodes and edges of each type, and show the load of the last hour.',
  },

  getRelationStatistics: {
    ...reads,
    sdk: 'stats.getRelations',
    method: 'GET',
    path: '/api/graph/stats/relations',
    responses: {
      200: { description: 'Counts by the types at both ends.', body: relationStatistics },
    },
    errors: [],
    summary: 'Count the edges by their type and the types of the nodes that they connect.',
  },
} as const satisfies Rows);
