import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { nodeReference } from './node-reference.ts';

const fields = z.record(z.string(), z.unknown());
/** ISO 8601, or milliseconds since the Unix epoch. */
const timestamp = z.union([z.string(), z.number()]);
/**
 * Optimistic: refused with `version_conflict` unless the node is at this version; 0 means it must
 * not exist.
 */
const ifVersion = z.int().min(0);

const nodeWrite = {
  type: z.string().optional(),
  key: z.string().optional(),
  uid: z.string().optional(),
  /** A field that is null is removed. */
  fields: fields.optional(),
  timestamp: timestamp.optional(),
  aliases: z.array(z.string()).optional(),
  ifVersion: ifVersion.optional(),
};

const restriction = {
  node: nodeReference,
  team: nodeReference.optional(),
  user: nodeReference.optional(),
  /** Of the node. */
  ifVersion: ifVersion.optional(),
};
/** Exactly one of `user` and `member`; a member may be a user or a team. */
const membership = {
  team: nodeReference,
  user: nodeReference.optional(),
  member: nodeReference.optional(),
  /** Of the team. */
  ifVersion: ifVersion.optional(),
};

const edgeEnds = {
  from: nodeReference,
  edge: z.string(),
  inverse: z.string().optional(),
  /** Of the node that the edge begins at. */
  ifVersion: ifVersion.optional(),
};

/**
 * An operation of ingestion (open-shapes, section 4). The server does not check a request against
 * this shape: an operation that cannot be applied, whatever the reason, is `invalid_operation` with
 * its index, which only the writer can answer.
 */
export const graphOperation = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('addOrUpdate'), ...nodeWrite }),
  z.strictObject({ op: z.literal('tryAdd'), ...nodeWrite }),
  z.strictObject({ op: z.literal('update'), ...nodeWrite }),
  z.strictObject({
    op: z.literal('delete'),
    uid: z.string().optional(),
    type: z.string().optional(),
    key: z.string().optional(),
    ifVersion: ifVersion.optional(),
  }),
  z.strictObject({
    op: z.literal('link'),
    ...edgeEnds,
    to: nodeReference,
    fields: fields.optional(),
    timestamp: timestamp.optional(),
  }),
  z.strictObject({ op: z.literal('unlink'), ...edgeEnds, to: nodeReference }),
  z.strictObject({ op: z.literal('unlinkExcept'), ...edgeEnds, keep: z.array(nodeReference) }),
  /**
   * This and the next three: with the scope `ingestion:acl`, or as an administrator. At least one
   * of team and user.
   */
  z.strictObject({ op: z.literal('restrict'), ...restriction }),
  /** With neither team nor user, every restriction of the node is removed. */
  z.strictObject({ op: z.literal('unrestrict'), ...restriction }),
  z.strictObject({ op: z.literal('addToTeam'), ...membership }),
  z.strictObject({ op: z.literal('removeFromTeam'), ...membership }),
]);
export type GraphOperation = Immutable<z.infer<typeof graphOperation>>;

/**
 * The answer to `POST /api/ingest`. `sequence` is that of the last commit; nodes and edges count
 * what was changed, `created` how many of the nodes are new, and `splits` how many were split off
 * from merged ones to be deleted alone.
 */
export const ingestSummary = z.strictObject({
  nodes: z.int().min(0),
  created: z.int().min(0),
  edges: z.int().min(0),
  splits: z.int().min(0),
  commits: z.int().min(0),
  sequence: z.int().min(0),
});
export type IngestSummary = Immutable<z.infer<typeof ingestSummary>>;
