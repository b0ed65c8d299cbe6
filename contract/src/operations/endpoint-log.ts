import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import { endpointLogFilter, endpointLogLine, endpointLogQuery } from '../shapes/endpoint-log.ts';
import { eventStreamHeaders, listOf } from '../shapes/list.ts';

export const operations = withIds({
  /**
   * Each server has the lines of the runs that it made itself, so these belong to the area "stats".
   */
  listEndpointLogs: {
    sdk: 'endpoints.listLogs',
    area: 'stats',
    method: 'GET',
    path: '/api/endpoints/logs',
    auth: 'admin',
    query: endpointLogQuery,
    responses: {
      200: {
        description: 'Lines that this server still has, newest first.',
        body: listOf(endpointLogLine),
      },
    },
    errors: [],
    onReplica: 'serve',
    summary: 'Search what endpoints have logged on this server.',
  },

  /**
   * Server-Sent Events: `line` has a line as its data and the line's sequence as its id; `dropped`
   * says with `{count}` how many lines went before they could be sent, whatever they were;
   * `position` has nothing but an id, for whoever comes back before the first line; `end` is the
   * last. The header `Last-Event-ID` says after which line to begin; without it only lines that are
   * yet to come are sent.
   */
  watchEndpointLogs: {
    sdk: 'endpoints.watchLogs',
    area: 'stats',
    method: 'GET',
    path: '/api/endpoints/logs/live',
    auth: 'admin',
    query: endpointLogFilter,
    headers: eventStreamHeaders,
    responses: {
      200: {
        description: 'Events, as long as the session lasts and "to" has not passed.',
        body: z.string(),
        contentType: 'text/event-stream',
      },
    },
    errors: ['too_many_requests'],
    onReplica: 'serve',
    summary: 'Watch what endpoints log on this server.',
  },
} as const satisfies Rows);
