import { operations } from '@trellis/contract/operations/stats.ts';
import { answer, routesOf } from '../route.ts';

export const statsRoutes = routesOf(operations, {
  getEndpointMetrics: async ({ caller }, { statistics }) =>
    answer(200, await statistics.endpoints(caller)),
  getDatabaseStatistics: async ({ caller }, { statistics }) =>
    answer(200, await statistics.database(caller)),
  getPoolStatistics: async ({ caller }, { statistics }) =>
    answer(200, await statistics.pool(caller)),
  getOverviewStatistics: async ({ caller }, { statistics }) =>
    answer(200, await statistics.overview(caller)),
  getRelationStatistics: async ({ caller }, { statistics }) =>
    answer(200, await statistics.relations(caller)),
});
