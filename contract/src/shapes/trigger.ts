import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { ENDPOINT_NAME_CHARACTERS_MAX } from '../limits.ts';
import { pageQuery } from './list.ts';

/** What happens to a node. */
export const triggerEvent = z.enum(['created', 'updated', 'deleted']);
export type TriggerEvent = z.infer<typeof triggerEvent>;

const endpoint = z.string().min(1).max(ENDPOINT_NAME_CHARACTERS_MAX);

const triggerError = z.strictObject({ code: z.string(), message: z.string() });

export const trigger = z.strictObject({
  endpoint,
  lines: z.array(z.strictObject({ event: triggerEvent, type: z.string() })),
  isPaused: z.boolean(),
  reason: z.string().nullable(),
  position: z.int(),
  waiting: z.int(),
  setAside: z.int(),
  runs: z.int(),
  failures: z.int(),
  lastRunAt: z.iso.datetime().nullable(),
  lastError: triggerError.nullable(),
  missed: z.strictObject({ from: z.int(), to: z.int(), at: z.iso.datetime() }).nullable(),
});
export type Trigger = Immutable<z.infer<typeof trigger>>;

export const triggerName = z.strictObject({ endpoint });

export const setAsideQuery = pageQuery.extend({ endpoint: endpoint.optional() });

export const setAsideInPath = z.object({ id: z.string().min(1).max(100) });

export const setAsideEvent = z.strictObject({
  id: z.string(),
  endpoint,
  event: triggerEvent,
  type: z.string(),
  uid: z.string(),
  key: z.string().nullable(),
  sequence: z.int(),
  at: z.iso.datetime(),
  setAsideAt: z.iso.datetime(),
  attempts: z.int(),
  error: triggerError,
});
export type SetAside = Immutable<z.infer<typeof setAsideEvent>>;

export const triggerRetry = z.strictObject({
  succeeded: z.boolean(),
  error: triggerError.nullable(),
});
export type TriggerRetry = Immutable<z.infer<typeof triggerRetry>>;
