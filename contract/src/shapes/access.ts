import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  LIST_TAKE_MAX,
  PRINCIPALS_MAX,
  SCHEMA_FIELDS_PER_TYPE_MAX,
  SCHEMA_TYPES_MAX,
  USER_TEXT_CHARACTERS_MAX,
} from '../limits.ts';
import { graphName, recordUpTo, uidText } from '../bounded-shapes.ts';

const uids = z.array(uidText).max(LIST_TAKE_MAX);

/** Who may beside administrators: nobody else when both are empty. */
const principalsOf = z.strictObject({ teams: uids.optional(), users: uids.optional() });

/**
 * The body of `/api/access/types` (open-shapes, section 4): the rules of all types that have some.
 */
export const typeAccess = z.strictObject({
  types: recordUpTo(
    SCHEMA_TYPES_MAX,
    graphName,
    z.strictObject({
      visibleTo: z.enum(['everyone', 'restricted']).optional(),
      /** Who may write nodes of the type (docs/data.md). */
      writableBy: principalsOf.optional(),
      fields: recordUpTo(SCHEMA_FIELDS_PER_TYPE_MAX, graphName, principalsOf).optional(),
    }),
  ),
});
export type TypeAccessDocument = Immutable<z.infer<typeof typeAccess>>;

/**
 * The teams and users that a node is restricted to, and who owns it; UIDs. When it is restricted to
 * nobody, the setting of its type holds.
 */
export const nodeAccess = z.strictObject({ teams: uids, users: uids, owners: uids });
export type NodeAccess = Immutable<z.infer<typeof nodeAccess>>;

/** What is left out stays as it is. */
export const nodeAccessChange = z.strictObject({ teams: uids.optional(), users: uids.optional() });
export type NodeAccessChange = Immutable<z.infer<typeof nodeAccessChange>>;

const names = z.array(z.string().max(USER_TEXT_CHARACTERS_MAX)).max(PRINCIPALS_MAX);

/** The body of `POST /api/access/principals`: user names or addresses, and names of teams. */
export const principalNames = z.strictObject({ users: names.optional(), teams: names.optional() });
export type PrincipalNames = Immutable<z.infer<typeof principalNames>>;

const uidsByName = z.record(z.string(), z.string().nullable());

/** By each name as it was given; null where it is nobody's, or more than one's. */
export const principals = z.strictObject({ users: uidsByName, teams: uidsByName });

const named = z.strictObject({ uid: z.string(), name: z.string() });

export const ACCESS_REASONS = [
  'administrator',
  'deactivated',
  'own-node',
  'system-type',
  'owner',
  'restricted-to-user',
  'restricted-to-team',
  'restricted-to-others',
  'type-restricted',
  'guest',
  'everyone',
] as const;

export const WRITE_REASONS = [
  'administrator',
  'read-only-administrator',
  'deactivated',
  'hidden',
  'system-type',
  'writer-user',
  'writer-team',
  'no-writer',
] as const;

function reasonOf<const Kinds extends readonly [string, ...string[]]>(kinds: Kinds) {
  return z.strictObject({
    kind: z.enum(kinds),
    /** Whether it lets the user do so, or keeps them from it. */
    grants: z.boolean(),
    message: z.string(),
    /** The teams from the user to the one that is named, through nesting. */
    path: z.array(named.extend({ source: z.string().optional() })).optional(),
  });
}

/** Why a user sees a node, or does not; and why they may write it, or may not. */
export const accessExplanation = z.strictObject({
  user: named,
  node: z.strictObject({ uid: z.string(), type: z.string(), name: z.string() }),
  visible: z.boolean(),
  reasons: z.array(reasonOf(ACCESS_REASONS)),
  /** Fields that the user may not read of a node that they see. */
  withheldFields: z.array(z.string()),
  mayWrite: z.boolean(),
  writeReasons: z.array(reasonOf(WRITE_REASONS)),
});
export type AccessExplanation = Immutable<z.infer<typeof accessExplanation>>;
