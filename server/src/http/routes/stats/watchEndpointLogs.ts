import { watchEndpointLogs as operation } from '@trellis/contract/operations/endpoint-log.ts';
import { eventStreamRoute, sequenceOf } from '../../event-stream.ts';
import { lineEvents } from '../../line-events.ts';

export const watchEndpointLogs = eventStreamRoute(
  operation,
  ({ caller, query, lastEventId, signal }, { endpointLogs }) =>
    lineEvents(endpointLogs.watch(caller, query, { after: sequenceOf(lastEventId), signal })),
);
