import { z } from 'zod';
import { graphName, recordUpTo, uidText } from '../bounded-shapes.ts';
import type { Immutable } from '../immutable.ts';
import { DUPLICATE_FIELDS_MAX, SCHEMA_FIELDS_PER_TYPE_MAX } from '../limits.ts';
import { nodeAccess } from './access.ts';
import { pageQuery } from './list.ts';
import { nodeObject } from './node.ts';
import { nodeReference } from './node-reference.ts';

const type = graphName.min(1);
const score = z.number().min(0).max(1);
const name = z.strictObject({ uid: z.string(), name: z.string() });

/** What is compared of a type, and from which score on. */
const settings = {
  /** Beside names; all texts that are left out here too when absent. */
  fields: z.array(type).max(DUPLICATE_FIELDS_MAX),
  minScore: score,
};

/** The body of `POST /api/duplicates/find`; what is left out is as the rule of the type says. */
export const duplicateSearch = z.strictObject({
  type,
  fields: settings.fields.optional(),
  minScore: settings.minScore.optional(),
});
export type DuplicateSearch = Immutable<z.infer<typeof duplicateSearch>>;

/** The body of `PUT /api/duplicates/rules/{type}`; it replaces the rule. */
export const duplicateRuleChange = z.strictObject({
  fields: settings.fields.optional(),
  minScore: settings.minScore.optional(),
  mergeAbove: score.nullable().optional(),
});

export const duplicateRule = z.strictObject({
  type: z.string(),
  /** Null: all texts of the type. */
  fields: z.array(z.string()).nullable(),
  minScore: score,
  /** Null: people merge. */
  mergeAbove: score.nullable(),
});
export type DuplicateRule = Immutable<z.infer<typeof duplicateRule>>;
export const duplicateRuleList = z.strictObject({ items: z.array(duplicateRule) });
export const duplicateRuleInPath = z.object({ type });

/** Why two nodes may be one thing. */
export const duplicateEvidence = z.strictObject({
  kind: z.enum(['name', 'field', 'text', 'neighbors', 'vectors']),
  /** Of `field` and `text`. */
  field: z.string().optional(),
  similarity: score,
});
export type DuplicateEvidence = Immutable<z.infer<typeof duplicateEvidence>>;

const state = z.enum(['open', 'dismissed']);

/** Two nodes that may be one thing. */
export const duplicate = z.strictObject({
  id: z.string(),
  type: z.string(),
  state,
  score,
  why: z.array(duplicateEvidence),
  nodes: z.tuple([name, name]),
  foundAt: z.iso.datetime(),
});
export type Duplicate = Immutable<z.infer<typeof duplicate>>;

export const duplicateQuery = pageQuery.extend({
  type: type.optional(),
  state: state.default('open'),
});
export type DuplicateQuery = z.output<typeof duplicateQuery>;

const id = z.string().min(1).max(100);
export const duplicateInPath = z.object({ id });
export const mergeInPath = z.object({ id });

const version = z.int().min(1).max(0xffff_ffff);

/** The body of `POST /api/duplicates/merge`. */
export const mergeRequest = z.strictObject({
  into: nodeReference,
  node: nodeReference,
  fields: recordUpTo(SCHEMA_FIELDS_PER_TYPE_MAX, type, z.unknown()).optional(),
  intoVersion: version.optional(),
  nodeVersion: version.optional(),
});
export type MergeRequest = Immutable<z.infer<typeof mergeRequest>>;

export const mergedNode = z.strictObject({
  /** With which the merge can be split. */
  id: z.string(),
  node: nodeObject,
  version,
  /** Who sees the node now. */
  access: nodeAccess,
});
export type MergedNode = Immutable<z.infer<typeof mergedNode>>;

export const splitNodes = z.strictObject({ into: nodeObject, node: nodeObject });
export type SplitNodes = Immutable<z.infer<typeof splitNodes>>;

export const merge = z.strictObject({
  id: z.string(),
  type: z.string(),
  at: z.iso.datetime(),
  /** UID of who merged; null when a rule did. */
  by: z.string().nullable(),
  /** The node that stayed, as it is now. */
  into: name,
  /** UID of the node that went, which leads to the other. */
  node: uidText,
  /** Whether it is the last one of its node, so that it can be split. */
  isLast: z.boolean(),
});
export type Merge = Immutable<z.infer<typeof merge>>;
