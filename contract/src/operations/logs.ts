import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import { logDownloadQuery, logFileList, logFilter, logPage, logQuery } from '../shapes/log.ts';
import { eventStreamHeaders } from '../shapes/events.ts';

export const operations = withIds({
  /** Each server has what it has logged itself, so these belong to the area "stats". */
  listLogFiles: {
    sdk: 'logs.listFiles',
    area: 'stats',
    method: 'GET',
    path: '/api/graph/logs-files',
    auth: 'admin',
    responses: { 200: { description: 'The files, newest first.', body: logFileList } },
    errors: [],
    onReplica: 'serve',
    summary: 'List the log files of this server.',
  },

  /** Specification, section 4.7. */
  downloadLogs: {
    sdk: 'logs.download',
    area: 'stats',
    method: 'GET',
    path: '/api/graph/logs-files/download',
    auth: 'admin',
    query: logDownloadQuery,
    responses: {
      200: {
        description: 'Records as lines of JSON, oldest first.',
        body: z.string(),
        contentType: 'text/plain',
        headers: ['Content-Disposition'],
      },
    },
    errors: ['log_file_not_found'],
    onReplica: 'serve',
    summary: 'Search the log files of this server, and get every match as one file.',
  },

  searchLogs: {
    sdk: 'logs.search',
    area: 'stats',
    method: 'GET',
    path: '/api/graph/logs',
    auth: 'admin',
    query: logQuery,
    responses: { 200: { description: 'Records, newest first.', body: logPage } },
    errors: [],
    onReplica: 'serve',
    summary: 'Search what this server has logged.',
  },

  /** Server-Sent Events as those of `watchEndpointLogs`; the data of `line` is a record. */
  watchLogs: {
    sdk: 'logs.watch',
    area: 'stats',
    method: 'GET',
    path: '/api/graph/logs/live',
    auth: 'admin',
    query: logFilter,
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
    summary: 'Watch what this server logs.',
  },
} as const satisfies Rows);
