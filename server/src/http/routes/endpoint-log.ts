import { operations } from '@trellis/contract/operations/endpoint-log.ts';
import { answer, routesOf } from '../route.ts';
import { eventStreamRoute, lineEvents, sequenceOf } from '../event-stream.ts';

export const endpointLogRoutes = routesOf(operations, {
  listEndpointLogs: async ({ caller, query }, { endpointLogs }) =>
    answer(200, await endpointLogs.list(caller, query)),
  watchEndpointLogs: eventStreamRoute(
    operations.watchEndpointLogs,
    ({ caller, query, lastEventId, signal }, { endpointLogs }) =>
      lineEvents(endpointLogs.watch(caller, query, { after: sequenceOf(lastEventId), signal })),
  ),
});
