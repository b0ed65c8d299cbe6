import { watchLogs as operation } from '@trellis/contract/operations/logs.ts';
import { eventStreamRoute, sequenceOf } from '../../event-stream.ts';
import { lineEvents } from '../../line-events.ts';

export const watchLogs = eventStreamRoute(operation, ({ query, lastEventId, signal }, { logs }) =>
  lineEvents(logs.watch(query, { after: sequenceOf(lastEventId), signal })),
);
