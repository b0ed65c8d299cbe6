import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  USER_NAME_CHARACTERS_MAX,
  USER_PREFERENCES_CHARACTERS_MAX,
  USER_TEXT_CHARACTERS_MAX,
} from '../limits.ts';
import { PASSWORD_INPUT_CHARACTERS_MAX } from '../request-limits.ts';
import { ROLES } from '../rights.ts';
import { pageQuery } from './list.ts';

// oxlint-disable-next-line no-control-regex -- what must not stand in a name
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Text that people read: no line breaks, no other control characters, well-formed Unicode. */
export const plainText = (min: number, max: number) =>
  z
    .string()
    .trim()
    .min(min)
    .max(max)
    .refine((text) => !CONTROL.test(text), 'must not hold control characters')
    .refine((text) => text.isWellFormed(), 'must be Unicode');

/** A password as somebody gives it: whether it may be one is looked at later. */
export const givenPassword = z.string().max(PASSWORD_INPUT_CHARACTERS_MAX);

const name = plainText(0, USER_TEXT_CHARACTERS_MAX);
export const emailAddress = z.email().max(USER_TEXT_CHARACTERS_MAX);
export const role = z.enum(ROLES);
const roles = z.array(role).max(ROLES.length);

/** The body of `POST /api/users` (open-shapes, section 3). */
export const newUser = z.strictObject({
  userName: plainText(1, USER_NAME_CHARACTERS_MAX),
  email: emailAddress,
  firstName: name.optional(),
  lastName: name.optional(),
  /** Without one the user signs in at an identity provider, or with a reset link. */
  password: givenPassword.optional(),
  roles: roles.optional(),
  isAdmin: z.boolean().optional(),
  isReadOnlyAdmin: z.boolean().optional(),
  isGuest: z.boolean().optional(),
});
export type NewUser = Immutable<z.infer<typeof newUser>>;

/** What keeps a user or a team: an identity provider by SCIM, or, with null, people here. */
export const source = z.literal('scim').nullable();

/** The body of `PUT /api/users/user/{uid}`: what is left out stays as it is. */
export const userChange = z.strictObject({
  firstName: name.optional(),
  lastName: name.optional(),
  email: emailAddress.optional(),
  /** Preferences of the user interface: any JSON object that is not too large. */
  preferences: z
    .record(z.string(), z.unknown())
    .refine(
      (preferences) => JSON.stringify(preferences).length <= USER_PREFERENCES_CHARACTERS_MAX,
      `must be at most ${USER_PREFERENCES_CHARACTERS_MAX} characters of JSON`,
    )
    .optional(),
  roles: roles.optional(),
  isAdmin: z.boolean().optional(),
  isReadOnlyAdmin: z.boolean().optional(),
  isGuest: z.boolean().optional(),
  active: z.boolean().optional(),
  source: source.optional(),
});
export type UserChange = Immutable<z.infer<typeof userChange>>;

/**
 * A user node: others see the eight fields of specification section 2.6, the user and
 * administrators all.
 */
export const userNode = z.looseObject({
  UID: z.string(),
  Type: z.literal('_User'),
  Timestamp: z.iso.datetime(),
  UserName: z.string().optional(),
  FirstName: z.string().optional(),
  LastName: z.string().optional(),
  FullName: z.string().optional(),
  Email: z.string().optional(),
});
export type UserNode = Immutable<z.infer<typeof userNode>>;

/** A page of a list in which one can search. */
export const searchQuery = pageQuery.extend({ query: z.string().max(200).optional() });
