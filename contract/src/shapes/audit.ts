import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { pageQuery } from './list.ts';
import { moment } from '../bounded-shapes.ts';

export const auditQuery = pageQuery.extend({
  /** A whole action, or the area before its dot. */
  action: z.string().max(100).optional(),
  /** UID or name of who did it, or tried to. */
  user: z.string().max(200).optional(),
  /** UID, id or name of the target. */
  target: z.string().max(200).optional(),
  outcome: z.enum(['success', 'failure']).optional(),
  /** Not before this time, and before that one. */
  from: moment.optional(),
  to: moment.optional(),
});
export type AuditQuery = Immutable<z.output<typeof auditQuery>>;

export const auditEvent = z.strictObject({
  uid: z.string(),
  at: z.iso.datetime(),
  action: z.string(),
  actor: z.strictObject({ uid: z.string(), name: z.string() }).nullable(),
  target: z
    .strictObject({ kind: z.string(), id: z.string(), name: z.string().nullable() })
    .nullable(),
  outcome: z.string(),
  address: z.string().nullable(),
  details: z.unknown(),
});
export type AuditRecord = Immutable<z.infer<typeof auditEvent>>;
