import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  ENDPOINT_NAME_CHARACTERS_MAX,
  LOG_FILE_NAMES_MAX,
  LOG_QUERY_CHARACTERS_MAX,
  LOG_SPANS_DEFAULT,
  LOG_SPANS_MAX,
} from '../limits.ts';
import {
  HEADER_TEXT_CHARACTERS_MAX,
  LOG_CURSOR_CHARACTERS_MAX,
  LOG_FILE_NAME_CHARACTERS_MAX,
} from '../request-limits.ts';
import { LOG_LEVELS, LOG_ORIGINS } from '../log-levels.ts';
import { listOf, pageQuery, queryInteger } from './list.ts';
import { moment, uidText } from '../bounded-shapes.ts';

const level = z.enum(LOG_LEVELS);
const origin = z.enum(LOG_ORIGINS);

/**
 * `files` where `MSK_LOG_PATH` is set; else there are only the last records, in the memory of the
 * server.
 */
const source = z.enum(['files', 'memory']);

/** One record of the server's own log. */
export const logRecord = z.strictObject({
  at: z.iso.datetime(),
  level,
  origin,
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
  origin: origin.optional(),
  /** The name of an endpoint; with "/" at its end all names that begin with it. */
  endpoint: z
    .string()
    .min(1)
    .max(ENDPOINT_NAME_CHARACTERS_MAX + 1)
    .optional(),
  /** The id of a job. */
  job: uidText.min(1).optional(),
  /** That of one request: `traceId` of its error, and its header `X-Request-Id`. */
  traceId: z.string().min(1).max(HEADER_TEXT_CHARACTERS_MAX).optional(),
});
export type LogFilter = Immutable<z.output<typeof logFilter>>;

/** Where a page ends: the time of its last record in milliseconds, and how many of that time. */
const cursor = z
  .string()
  .max(LOG_CURSOR_CHARACTERS_MAX)
  .regex(/^\d{1,15}-\d{1,9}$/, 'must be the "nextCursor" of a page');

export const logQuery = logFilter.extend(pageQuery.shape).extend({
  /** `nextCursor` of the page before: only older records than those of that page are looked at. */
  cursor: cursor.optional(),
});

/** `total` is a lower bound: larger than `skip` and `take` together, when there is more. */
export const logPage = listOf(logRecord).extend({
  source,
  /** Whether all was looked at that had to be, before the time of a search ran out. */
  isComplete: z.boolean(),
  /**
   * Where to go on, also after a search whose time ran out; null when all has been looked at. It
   * finds its place in large files at once, which `skip` does not.
   */
  nextCursor: z.string().nullable(),
});
export type LogPage = Immutable<z.infer<typeof logPage>>;

/** Without `from` since the oldest record that is kept, without `to` until now. */
export const logCountsQuery = logFilter.extend({
  /** Spans of time, of the same length, into which the records are counted. */
  spans: queryInteger(1, LOG_SPANS_MAX, LOG_SPANS_DEFAULT),
});

export const logCounts = z.strictObject({
  source,
  /** Of the first span the begin, and of the last one the end. */
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** Length of a span; the last one may be shorter. */
  spanMs: z.int().min(1),
  /**
   * Whether all was counted before the time ran out. The newest records are counted first; those
   * before `countedFrom` were not looked at.
   */
  isComplete: z.boolean(),
  countedFrom: z.iso.datetime(),
  /** Oldest first. */
  spans: z.array(
    z.strictObject({
      at: z.iso.datetime(),
      counts: z.record(level, z.int().min(0)),
    }),
  ),
});
export type LogCounts = Immutable<z.infer<typeof logCounts>>;

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
 * A log of the server, or of its channel to replicas, of one day, or a part of it. Nothing else is
 * a file to be read here.
 */
const fileName = z
  .string()
  .regex(
    /^(?:trellis|replication\/replication)-\d{4}-\d\d-\d\d(?:\.[1-9]\d{0,5})?\.log$/,
    'must be names of log files, with "," between: GET /api/graph/logs-files lists them',
  );

export const logDownloadQuery = logFilter.extend({
  /** With "," between; without it all. */
  fileNames: z
    .string()
    .max(LOG_FILE_NAMES_MAX * LOG_FILE_NAME_CHARACTERS_MAX)
    .transform((names) => names.split(','))
    .pipe(z.array(fileName).max(LOG_FILE_NAMES_MAX))
    .optional(),
});
