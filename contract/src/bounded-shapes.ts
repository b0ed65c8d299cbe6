import { z } from 'zod';
import {
  GRAPH_NAME_CHARACTERS_MAX,
  TIME_CHARACTERS_MAX,
  UID_CHARACTERS_MAX,
} from './request-limits.ts';

/**
 * Shapes of requests have a bound wherever there may be more or less of something; a test finds
 * those that have none. These are for what most requests have.
 */
export const uidText = z.string().max(UID_CHARACTERS_MAX);

/** The name of a type, a field, or of a node by a key. */
export const graphName = z.string().max(GRAPH_NAME_CHARACTERS_MAX);

/** ISO 8601, with any offset. */
export const moment = z.iso.datetime({ offset: true }).max(TIME_CHARACTERS_MAX);

/** A record with at most `membersMax` members. */
export function recordUpTo<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  membersMax: number,
  key: Key,
  value: Value,
) {
  return z
    .record(key, value)
    .refine((record) => Object.keys(record).length <= membersMax, `must name at most ${membersMax}`)
    .meta({ maxProperties: membersMax });
}
