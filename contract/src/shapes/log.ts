import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { LOG_FILE_NAMES_MAX, LOG_QUERY_CHARACTERS_MAX } from '../limits.ts';
import { LOG_FILE_NAME_CHARACTERS_MAX } from '../request-limits.ts';
import { LOG_LEVELS } from '../log-levels.ts';
import { listOf, pageQuery } from './list.ts';
import { moment } from '../bounded-shapes.ts';

const level = z.enum(LOG_LEVELS);

/**
 * `files` where `MSK_LOG_PATH` is set; else there are only the last records, in the memory of the
 * server.
 */
const source = z.enum(['files', 'memory']);

/** One record of the server's own log. */
export const logRecord = z.strictObject({
  at: z.iso.datetime(),
  level,
  message: z.string(),
  /** What was logged beside the message. */
  fields: z.record(z.string(), z.unknown()),
});
export type LogRecord = Immutable<z.infer<typeof logRecord>>;

/**
 * A record that is sent as it is logged. The sequence rises from record to record; also after a
 * restart of the server.
 */
export const liveLogRecord = logRecord.extend({ sequence: z.int().min(0) });
export type LiveLogRecord = Immutable<z.infer<typeof liveLogRecord>>;

const query = z.string().min(1).max(LOG_QUERY_CHARACTERS_MAX);

/** A record must fit all that is given. */
export const logFilter = z.object({
  /** Anywhere in the record as JSON text, in any case of letters. */
  query: query.optional(),
  /** This one or a more urgent one. */
  level: level.optional(),
  /** Not before this time, and before that one. */
  from: moment.optional(),
  to: moment.optional(),
});
export type LogFilter = Immutable<z.output<typeof logFilter>>;

export const logQuery = logFilter.extend(pageQuery.shape);

/** `total` is a lower bound: larger than `skip` and `take` together, when there is more. */
export const logPage = listOf(logRecord).extend({
  source,
  /** Whether all was looked at that had to be, before the time of a search ran out. */
  isComplete: z.boolean(),
});

export const logFileList = z.strictObject({
  source,
  /** Newest first. */
  items: z.array(
    z.strictObject({
      /** As `fileNames` takes it. */
      name: z.string(),
      sizeBytes: z.int().min(0),
      /** Times of the first and the last record; null where there is none. */
      from: z.iso.datetime().nullable(),
      to: z.iso.datetime().nullable(),
    }),
  ),
});

/**
 * A log of the server, or of its channel to replicas, of one day. Nothing else is a file to be read
 * here.
 */
const fileName = z
  .string()
  .regex(
    /^(?:trellis|replication\/replication)-\d{4}-\d\d-\d\d\.log$/,
    'must be names of log files, with "," between: GET /api/graph/logs-files lists them',
  );

export const logDownloadQuery = z.object({
  query: query.optional(),
  /** With "," between; without it all. */
  fileNames: z
    .string()
    .max(LOG_FILE_NAMES_MAX * LOG_FILE_NAME_CHARACTERS_MAX)
    .transform((names) => names.split(','))
    .pipe(z.array(fileName).max(LOG_FILE_NAMES_MAX))
    .optional(),
});
