import { z } from 'zod';
import { graphName, recordUpTo, uidText } from '../bounded-shapes.ts';
import type { Immutable } from '../immutable.ts';
import {
  NODE_ALIASES_MAX,
  NODE_LINKS_MAX,
  NODES_CHANGED_MAX,
  NODES_CHANGED_READERS_MAX,
  SCHEMA_FIELDS_PER_TYPE_MAX,
  SCHEMA_TYPES_MAX,
} from '../limits.ts';
import {
  IF_MATCH_CHARACTERS_MAX,
  NODE_TEXT_CHARACTERS_MAX,
  TIME_CHARACTERS_MAX,
} from '../request-limits.ts';
import { queryInteger } from './list.ts';
import { nodeObject } from './node.ts';
import { nodeReference } from './node-reference.ts';
import { fieldType } from './schema-document.ts';

const VERSION_MAX = 0xffff_ffff;

const nodeText = z.string().max(NODE_TEXT_CHARACTERS_MAX);

/** Values by field; null removes the field. Each is held to the type of the field. */
const fields = recordUpTo(SCHEMA_FIELDS_PER_TYPE_MAX, graphName.min(1), z.unknown());
/** ISO 8601, or milliseconds since the Unix epoch. */
const timestamp = z.union([z.string().max(TIME_CHARACTERS_MAX), z.number()]);
const aliases = z.array(nodeText.min(1)).max(NODE_ALIASES_MAX);
const ifVersion = z.int().min(1).max(VERSION_MAX);

/** An edge from the node to another, or from another to the node. */
function edgeOf<Shape extends z.core.$ZodLooseShape>(more: Shape) {
  const edge = graphName.min(1);
  return z.union(
    [
      z.strictObject({ edge, to: nodeReference, ...more }),
      z.strictObject({ edge, from: nodeReference, ...more }),
    ],
    { error: 'must be an edge with either to or from' },
  );
}

const links = z.array(edgeOf({ fields: fields.optional(), timestamp: timestamp.optional() }));
const unlinks = z.array(edgeOf({}));
export type NodeLink = Immutable<z.infer<typeof links>>[number];
export type NodeUnlink = Immutable<z.infer<typeof unlinks>>[number];

/** The body of `POST /api/node`. */
export const newNode = z.strictObject({
  type: graphName.min(1),
  /** May also stand among the fields, under the name that the schema gives it. */
  key: nodeText.min(1).optional(),
  fields: fields.optional(),
  timestamp: timestamp.optional(),
  aliases: aliases.optional(),
  links: links.max(NODE_LINKS_MAX).optional(),
});
export type NewNode = Immutable<z.infer<typeof newNode>>;

/** The body of `PATCH /api/node/{uid}`. What is left out stays as it is. */
export const nodeChange = z.strictObject({
  fields: fields.optional(),
  timestamp: timestamp.optional(),
  aliases: aliases.optional(),
  ifVersion: ifVersion.optional(),
});
export type NodeChangeDocument = Immutable<z.infer<typeof nodeChange>>;

/** The body of `POST /api/node/{uid}/restore`. */
export const nodeRestoration = z.strictObject({
  version: z.int().min(1).max(VERSION_MAX),
  ifVersion: ifVersion.optional(),
});
export type NodeRestoration = Immutable<z.infer<typeof nodeRestoration>>;

/** The query of `DELETE /api/node/{uid}`. */
export const nodeDeletion = z.object({
  ifVersion: queryInteger(0, VERSION_MAX, 0),
});

/** As versions of a node: those that it may have, or `any`. */
const VERSION_TAGS = /^(?:\*|"\d{1,10}"(?:[ \t]*,[ \t]*"\d{1,10}"){0,15})$/;

/** A change of a node takes the `ETag` that `GET /api/node/{uid}` answers (RFC 9110, 13.1.1). */
export const nodeMatch = z.object({
  'if-match': z
    .string()
    .max(IF_MATCH_CHARACTERS_MAX)
    .regex(VERSION_TAGS, 'must be * or the ETag of the node, such as "3"')
    .transform((tags) => (tags === '*' ? 'any' : (tags.match(/\d+/g) ?? []).map(Number)))
    .optional(),
});
export type NodeMatch = Immutable<z.output<typeof nodeMatch>>;

/** The body of `POST /api/node/{uid}/links`: all of it, or nothing. */
export const nodeLinks = z.strictObject({
  add: links.max(NODE_LINKS_MAX).optional(),
  remove: unlinks.max(NODE_LINKS_MAX).optional(),
  /** Of the node, whichever end of the edges it is. */
  ifVersion: ifVersion.optional(),
});
export type NodeLinksDocument = Immutable<z.infer<typeof nodeLinks>>;

/** How many edges were changed; an inverse edge counts, too. */
export const linkedEdges = z.strictObject({ added: z.int().min(0), removed: z.int().min(0) });

const readers = z.array(uidText).max(NODES_CHANGED_READERS_MAX).optional();

/** A node that is left as it is unless it is at this version. */
export const nodeAtVersion = z.union([
  z.strictObject({ uid: uidText.min(1), ifVersion }),
  z.strictObject({ type: graphName.min(1), key: nodeText.min(1), ifVersion }),
]);
const changedNode = z.union([nodeReference, nodeAtVersion], {
  error: 'must be a UID, {uid} or {type, key}, an object with or without ifVersion',
});
export type ChangedNode = Immutable<z.infer<typeof changedNode>>;

/** The body of `POST /api/node/bulk`: one change of many nodes. */
export const manyNodesChange = z.strictObject({
  uids: z.array(changedNode).min(1).max(NODES_CHANGED_MAX),
  change: z.union(
    [
      z.strictObject({ delete: z.literal(true) }),
      z.strictObject({ add: links.element }),
      z.strictObject({ remove: unlinks.element }),
      /** Whom the nodes are restricted to from then on; what is left out stays as it is. */
      z.strictObject({ access: z.strictObject({ teams: readers, users: readers }) }),
    ],
    { error: 'must be one of delete, add, remove and access' },
  ),
});
export type ManyNodesChange = Immutable<z.infer<typeof manyNodesChange>>;

/** What became of each node, in the order of the request, each once. */
export const manyNodesOutcome = z.strictObject({
  done: z.int().min(0),
  outcomes: z.array(
    z.strictObject({
      uid: z.string(),
      done: z.boolean(),
      error: z.strictObject({ code: z.string(), message: z.string() }).optional(),
    }),
  ),
});
export type ManyNodesOutcome = Immutable<z.infer<typeof manyNodesOutcome>>;

/** A node as the caller sees it, and the version that `ifVersion` compares. */
export const writtenNode = z.strictObject({ node: nodeObject, version: z.int().min(1) });
export type WrittenNode = Immutable<z.infer<typeof writtenNode>>;

/** A node, what the caller may do with it, and what goes with it when it is deleted. */
export const nodeRecord = z.strictObject({
  node: nodeObject,
  /** Null for whoever may neither write the node nor read all of its fields. */
  version: z.int().min(1).nullable(),
  mayWrite: z.boolean(),
  /** Names that other systems give it, for whoever may write it; nothing is looked up by them. */
  aliases: z.array(z.string()).optional(),
  /** Edges between the node and nodes that the caller sees. */
  edges: z.array(
    z.strictObject({
      edge: z.string(),
      direction: z.enum(['out', 'in']),
      count: z.int().min(1),
    }),
  ),
  files: z.int().min(0),
});
export type NodeRecordDocument = Immutable<z.infer<typeof nodeRecord>>;

const fieldTypes = z.record(z.string(), fieldType);

/** What there is to look at and to write, for one caller. */
export const nodeTypes = z.strictObject({
  types: z
    .array(
      z.strictObject({
        type: z.string(),
        /** The nodes that the caller sees. */
        count: z.int().min(0),
        mayWrite: z.boolean(),
        key: z.string().optional(),
        label: z.string().optional(),
        timestamp: z.string().optional(),
        /** Those that the caller may read. */
        fields: fieldTypes,
        /** The fields of each index that is ready. */
        indexes: z.array(z.array(z.string())),
      }),
    )
    .max(SCHEMA_TYPES_MAX),
  /** Empty for whoever may write nothing, unless they are an administrator. */
  edges: z
    .array(
      z.strictObject({
        type: z.string(),
        inverse: z.string().optional(),
        fields: fieldTypes.optional(),
      }),
    )
    .max(SCHEMA_TYPES_MAX),
});
export type NodeTypesDocument = Immutable<z.infer<typeof nodeTypes>>;
