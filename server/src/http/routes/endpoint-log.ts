import { operations } from '@trellis/contract/operations/endpoint-log.ts';
import { answer } from '../answer.ts';
import { eventStreamRoute, lineEvents, sequenceOf } from '../event-stream.ts';
import { routesOf } from '../routes-of.ts';

export const endpointLogRoutes = routesOf(operations, {
  listEndpointLogs: async ({ caller, query }, { endpointLogs }) =>
    answer(200, await endpointLogs.list(caller, query)),
  watchEndpointLogs: eventStreamRoute(
    operations.watchEndpointLogs,
    ({ caller, query, lastEventId, signal }, { endpointLogs }) =>
      lineEvents(endpointLogs.watch(caller, query, { after: sequenceOf(lastEventId), signal })),
  ),
});
