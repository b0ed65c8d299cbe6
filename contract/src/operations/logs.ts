import { z } from 'zod';
import { withIds, type Rows } from '../operation.ts';
import {
  logCounts,
  logCountsQuery,
  logDownloadQuery,
  logFileList,
  logFilter,
  logPage,
  logQuery,
} from '../shapes/log.ts';
import { eventStreamHeaders } from '../shapes/list.ts';

const reads = { area: 'stats', auth: 'admin', onReplica: 'serve' } as const;

export const operations = withIds({
  /** Each server has what it has logged itself, so these belong to the area "stats". */
  listLogFiles: {
    ...reads,
    sdk: 'logs.listFiles',
    method: 'GET',
    path: '/api/graph/logs-files',
    responses: { 200: { description: 'The files, newest first.', body: logFileList } },
    errors: [],
    summary: 'List the log files of this server.',
  },

  /** Specification, section 4.7. */
  downloadLogs: {
    ...reads,
    sdk: 'logs.download',
    method: 'GET',
    path: '/api/graph/logs-files/download',
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
    summary: 'Search the log files of this server, and get every match as one file.',
  },

  searchLogs: {
    ...reads,
    sdk: 'logs.search',
    method: 'GET',
    path: '/api/graph/logs',
    query: logQuery,
    responses: { 200: { description: 'Records, newest first.', body: logPage } },
    errors: [],
    summary: 'Search what this server has logged.',
  },

  countLogs: {
    ...reads,
    sdk: 'logs.count',
    method: 'GET',
    path: '/api/graph/logs/counts',
    query: logCountsQuery,
    responses: { 200: { description: 'Counts by time and level.', body: logCounts } },
    errors: [],
    summary: 'Count what this server has logged, by time and level.',
  },

  /** Server-Sent Events as those of `watchEndpointLogs`; the data of `line` is a record. */
  watchLogs: {
    ...reads,
    sdk: 'logs.watch',
    method: 'GET',
    path: '/api/graph/logs/live',
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
    summary: 'Watch what this server logs.',
  },
} as const satisfies Rows);
