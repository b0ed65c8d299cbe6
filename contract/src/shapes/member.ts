import { z } from 'zod';
import type { Immutable } from '../immutable.ts';

const sequences = z.int().min(0);

/** A process that serves a workspace whose log is in PostgreSQL (open-shapes, section 13). */
const workspaceMember = z.strictObject({
  name: z.string(),
  address: z.string(),
  role: z.enum(['primary', 'follower']),
  appliedSequence: sequences,
  /** Operations that it is behind the log. */
  lagVersions: sequences,
  lastSeenAt: z.iso.datetime(),
  version: z.string(),
});

/** The answer to `GET /api/graph/members`. */
export const memberOverview = z.strictObject({
  term: sequences,
  /** The name of the member that holds the lease; null while nobody does. */
  primary: z.string().nullable(),
  members: z.array(workspaceMember),
  log: z.strictObject({
    engine: z.literal('postgres'),
    firstSequence: sequences,
    lastSequence: sequences,
    bytes: z.int().min(0),
    synchronous: z.boolean(),
  }),
  /** The newest first. */
  takeovers: z.array(z.strictObject({ term: sequences, member: z.string(), at: z.iso.datetime() })),
});
export type MemberOverview = Immutable<z.infer<typeof memberOverview>>;
