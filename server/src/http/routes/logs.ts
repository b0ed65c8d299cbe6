import { operations } from '@trellis/contract/operations/logs.ts';
import { answer, routesOf } from '../route.ts';
import { downloadRoute } from '../download-route.ts';
import { eventStreamRoute, lineEvents, sequenceOf } from '../event-stream.ts';

export const logsRoutes = routesOf(operations, {
  listLogFiles: async (_input, { logs }) => answer(200, await logs.files()),
  downloadLogs: downloadRoute(operations.downloadLogs, ({ query }, { logs }) => ({
    fileName: 'trellis.log',
    content: logs.download(query),
  })),
  searchLogs: async ({ query }, { logs }) => answer(200, await logs.search(query)),
  countLogs: async ({ query }, { logs }) => answer(200, await logs.count(query)),
  watchLogs: eventStreamRoute(operations.watchLogs, ({ query, lastEventId, signal }, { logs }) =>
    lineEvents(logs.watch(query, { after: sequenceOf(lastEventId), signal })),
  ),
});
