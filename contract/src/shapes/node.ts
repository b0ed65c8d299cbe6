import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import {
  DOWNLOAD_FIELDS_MAX,
  DOWNLOAD_UIDS_MAX,
  LIST_TAKE_DEFAULT,
  LIST_TAKE_MAX,
  NODE_TEMPLATE_CHARACTERS_MAX,
  NODE_UIDS_MAX,
  SYNTHETIC_NODES_MAX,
} from '../limits.ts';
import { TIME_CHARACTERS_MAX } from '../request-limits.ts';
import { graphName } from '../bounded-shapes.ts';
import { nodeReference } from './node-reference.ts';

/**
 * A node as its reader may see it (open-shapes, section 2): fields that may not be read are absent.
 */
export const nodeObject = z.looseObject({
  UID: z.string(),
  Type: z.string(),
  Timestamp: z.iso.datetime({ offset: true }),
  /** The key, when it has one. */
  Id: z.string().optional(),
});
export type NodeObject = Immutable<z.infer<typeof nodeObject>>;

const uids = z.array(nodeReference).max(NODE_UIDS_MAX);
const NAMES_NO_NODES = 'needs uids, or type, or both';

function namesNodes({ uids: some, type }: { uids?: unknown; type?: unknown }): boolean {
  return some !== undefined || type !== undefined;
}

/**
 * The body of `POST /api/node/query`: the nodes with these UIDs, in that order, or of a type,
 * newest first; or both.
 */
export const nodeQuery = z
  .strictObject({
    uids: uids.optional(),
    type: graphName.optional(),
    skip: z.int().min(0).default(0),
    take: z.int().min(1).max(LIST_TAKE_MAX).default(LIST_TAKE_DEFAULT),
  })
  .refine(namesNodes, NAMES_NO_NODES);
export type NodeQuery = Immutable<z.infer<typeof nodeQuery>>;

/** The body of `POST /api/node/many/full`. */
export const manyNodes = z.strictObject({ uids });

/**
 * The body of `POST /api/node/many/field`. A template is text with names of fields in braces,
 * `{FirstName} {LastName}`; a brace itself is written twice.
 */
export const manyFields = z
  .strictObject({
    uids,
    field: graphName.min(1).optional(),
    template: z.string().max(NODE_TEMPLATE_CHARACTERS_MAX).optional(),
  })
  .refine(
    ({ field, template }) => (field === undefined) !== (template === undefined),
    'needs either field or template',
  );

/**
 * The body of a download: the nodes as in a query; `fields` are the columns after the fixed ones.
 */
export const nodeSelection = z
  .strictObject({
    uids: z.array(nodeReference).max(DOWNLOAD_UIDS_MAX).optional(),
    type: graphName.optional(),
    fields: z.array(graphName).max(DOWNLOAD_FIELDS_MAX).optional(),
  })
  .refine(namesNodes, NAMES_NO_NODES);
export type NodeSelection = Immutable<z.infer<typeof nodeSelection>>;

/** What a download says of each node, before its fields. */
export const DOWNLOAD_COLUMNS = ['Link', 'UID', 'Type', 'EdgeCount', 'Timestamp'] as const;

/** The query of a download: where the links in it lead; without it they are relative. */
export const downloadQuery = z.object({
  baseURL: z
    .string()
    .max(2_000)
    .regex(/^[^?#@\s\\]*$/, 'must be without user, query and fragment')
    // Looks at what is left when line breaks are dropped: they must be refused before.
    .pipe(z.url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' }))
    .optional(),
});

/** The body of a synthetic download: nodes that are stored nowhere, with whatever fields. */
export const syntheticNodes = z.strictObject({
  nodes: z
    .array(z.looseObject({ Timestamp: z.string().max(TIME_CHARACTERS_MAX).optional() }))
    .max(SYNTHETIC_NODES_MAX),
});
export type SyntheticNodes = Immutable<z.infer<typeof syntheticNodes>>;

/**
 * A field as a change found it and left it; `Timestamp` is one, too. Null where there was no value,
 * and where it is too large to be told: then `beforeBytes` or `afterBytes` says how large, encoded.
 */
export const fieldChange = z.strictObject({
  field: z.string(),
  before: z.unknown(),
  after: z.unknown(),
  beforeBytes: z.int().min(0).optional(),
  afterBytes: z.int().min(0).optional(),
});
export type FieldChange = Immutable<z.infer<typeof fieldChange>>;

/**
 * A version of a node, and what made it. The first one has neither sequence nor time nor actor,
 * which are not kept, and every field that it had. `version` is null to whoever may not read all
 * fields.
 */
export const nodeVersion = z.strictObject({
  version: z.int().min(1).nullable(),
  sequence: z.int().min(1).nullable(),
  /** Time of the change, not of the node. */
  timestamp: z.iso.datetime().nullable(),
  /** The user who made it; null where that is not known. */
  actor: z.strictObject({ uid: z.string(), name: z.string() }).nullable(),
  changes: z.array(fieldChange),
});
export type NodeVersion = Immutable<z.infer<typeof nodeVersion>>;
