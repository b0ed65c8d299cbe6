import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { LIST_TAKE_MAX, TEAM_NAME_CHARACTERS_MAX, USER_TEXT_CHARACTERS_MAX } from '../limits.ts';
import { plainText, source } from './user.ts';
import { uidText } from '../bounded-shapes.ts';

const description = z
  .string()
  .max(USER_TEXT_CHARACTERS_MAX)
  .refine((text) => text.isWellFormed(), 'must be Unicode');

/** The body of `PUT /api/groups/group`. */
export const newTeam = z.strictObject({
  name: plainText(1, TEAM_NAME_CHARACTERS_MAX),
  description: description.optional(),
});

/** The body of `PUT /api/groups/group/{groupUID}`: what is left out stays as it is. */
export const teamChange = newTeam.partial().extend({ source: source.optional() });

const uids = z.array(uidText).max(LIST_TAKE_MAX);

/**
 * The body of `PUT /api/groups/group/{groupUID}/users`. A member is a user, or a team, whose
 * members are then members too.
 */
export const memberChange = z.strictObject({
  add: uids.optional(),
  remove: uids.optional(),
  /** The administrators of the team from now on: users. */
  admins: uids.optional(),
});
export type MemberChange = Immutable<z.infer<typeof memberChange>>;

/** UIDs of what is directly in a team, and of who administers it. */
export const teamMembers = z.strictObject({
  users: z.array(z.string()),
  teams: z.array(z.string()),
  admins: z.array(z.string()),
});

export const teamNode = z.looseObject({
  UID: z.string(),
  Type: z.literal('_AccessGroup'),
  Timestamp: z.iso.datetime(),
  Name: z.string().optional(),
  Description: z.string().optional(),
});
export type TeamNode = Immutable<z.infer<typeof teamNode>>;
