import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { ENDPOINT_LOG_QUERY_CHARACTERS_MAX, ENDPOINT_NAME_CHARACTERS_MAX } from '../limits.ts';
import { ENDPOINT_LOG_LEVELS } from '../log-levels.ts';
import { pageQuery } from './list.ts';
import { moment } from '../bounded-shapes.ts';

const level = z.enum(ENDPOINT_LOG_LEVELS);

/** A line that the code of an endpoint has logged, or that tells how a run of it failed. */
export const endpointLogLine = z.strictObject({
  /** Rises from line to line; also after a restart of the server. */
  sequence: z.int().min(0),
  at: z.iso.datetime(),
  endpoint: z.string(),
  level,
  message: z.string(),
  /** What the code gave beside the message. */
  data: z.unknown().optional(),
  /** UID of whoever called; null for a token that acts as nobody. */
  user: z.string().nullable(),
  /** Lines of one run have the same; it counts the runs of one server that have logged. */
  run: z.int().min(1),
});
export type EndpointLogLine = Immutable<z.infer<typeof endpointLogLine>>;

/** A line must fit all that is given. */
export const endpointLogFilter = z.object({
  /** A name; with "/" at its end all names that begin with it. */
  endpoint: z
    .string()
    .min(1)
    .max(ENDPOINT_NAME_CHARACTERS_MAX + 1)
    .optional(),
  /** This one or a more urgent one. */
  level: level.optional(),
  /** In the message or the data as JSON text, in any case of letters. */
  query: z.string().min(1).max(ENDPOINT_LOG_QUERY_CHARACTERS_MAX).optional(),
  /** Not before this time, and before that one. */
  from: moment.optional(),
  to: moment.optional(),
});
export type EndpointLogFilter = Immutable<z.output<typeof endpointLogFilter>>;

export const endpointLogQuery = endpointLogFilter.extend(pageQuery.shape);
