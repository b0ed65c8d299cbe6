import { isDeepStrictEqual } from 'node:util';
import { MERGE_EDGES_MAX } from '@trellis/contract/limits.ts';
import { Problem } from '#base/problem.ts';
import { ANY_EDGE, NeighborList } from './adjacency.ts';
import type { FieldValue } from './field-types.ts';
import { type NodeRecord, openRecord } from './node-record.ts';
import type { Field } from './schema-fields.ts';
import type { NodeType } from './schema-registry.ts';
import type { Transactor } from './transactor.ts';

/** The built-in type that keeps a merge until it is split. Its key is the id of the merge. */
export const MERGE_TYPE = '_NodeMerge';
/** Leads from a merge to the node that stayed, also after that was merged into another one. */
export const MERGED_INTO = '_MergedInto';

/** Who sees a node and who owns it, by UIDs. */
export interface NodeGrants {
  readonly teams: readonly string[];
  readonly users: readonly string[];
  readonly owners: readonly string[];
}

/** An edge between two records, each of which was a node of its own when it was made. */
export interface KeptEdge {
  readonly edge: number;
  /** UIDs. */
  readonly from: string;
  readonly to: string;
  /** Base64. */
  readonly record: string;
}

/** An edge as it is stored. Ids. */
export interface StoredEdge {
  readonly from: number;
  readonly edge: number;
  readonly to: number;
}

/** A value as JSON has it. */
export interface LaterValue {
  readonly field: string;
  readonly value: FieldValue;
}

/** What a split needs, as the field `Data` of a merge has it. Records are base64. */
export interface MergeData {
  /** The id that the node had, and gets again. */
  readonly id: number;
  /** The node that went. */
  readonly node: string;
  /** The node that stayed, before and after the merge. */
  readonly before: string;
  readonly after: string;
  /** Those of the node that went, and those of the other that were like one of them. */
  readonly edges: readonly KeptEdge[];
  /** Values that it has because of the merge since a document was taken back. By field names. */
  readonly later?: readonly LaterValue[];
  readonly grants: {
    readonly node: NodeGrants;
    readonly into: NodeGrants;
    readonly made: NodeGrants;
  };
}

/** Edges of access: a merge does not move them, but intersects what they say. */
export const GRANT_EDGES = ['RestrictAccessToTeam', 'RestrictAccessToUser', '_Owns'] as const;
export const GRANT_EDGE_NAMES: ReadonlySet<string> = new Set([...GRANT_EDGES, '_OwnedBy']);

/** The merge of which a node is the record. */
export function mergeDataOf(t: Transactor, id: number): MergeData {
  const record = t.record(id);
  const type = t.registry.nodeTypeById(record.typeId);
  // Only `mergeNodes` writes it.
  const data = record.valueByName(type, 'Data') as KeptMerge;
  const uids = { gone: openRecord(data.node).uid, stayed: openRecord(data.before).uid };
  return {
    ...data,
    edges: data.edges.flatMap((one) => ('moved' in one ? edgesOf(one, uids) : one)),
  };
}

interface KeptMerge extends Omit<MergeData, 'edges'> {
  readonly edges: readonly (KeptEdge | EdgeOfGone)[];
}

/** How the first merges kept an edge of the node that went. */
interface EdgeOfGone {
  readonly isOut: boolean;
  readonly edge: number;
  /** UID. */
  readonly other: string;
  readonly record: string;
  /** False when the node that stayed had an edge like it. */
  readonly moved: boolean;
}

function edgesOf(
  { isOut, edge, other, record, moved }: EdgeOfGone,
  { gone, stayed }: { readonly gone: string; readonly stayed: string },
): KeptEdge[] {
  const of = (uid: string): KeptEdge => {
    const end = other === gone ? uid : other;
    return { edge, from: isOut ? uid : end, to: isOut ? end : uid, record };
  };
  // What the other one had in its edge was not kept, and is what is stored now.
  return moved || other === stayed ? [of(gone)] : [of(gone), of(stayed)];
}

/** The same as a value of the field. */
export function mergeDataValue(data: MergeData): FieldValue {
  return JSON.parse(JSON.stringify(data)) as FieldValue;
}

/** The value of a field of a record as JSON has it: null for none. */
export function jsonValueIn(record: NodeRecord, type: NodeType, field: string): FieldValue {
  return JSON.parse(JSON.stringify(record.valueByName(type, field) ?? null)) as FieldValue;
}

/** Whether a field, which may be called otherwise since, has a value because of the merge. */
export function isLater(
  { later = [] }: MergeData,
  type: NodeType,
  field: Field | undefined,
  value: unknown,
): boolean {
  const known = later.filter((one) => type.byName.get(one.field) === field);
  if (field === undefined || value === undefined || known.length === 0) return false;
  const json: unknown = JSON.parse(JSON.stringify(value));
  return known.some((one) => isDeepStrictEqual(one.value, json));
}

export function encodeRecord(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** Edges of a node, without those that decide about access. */
export function edgesToMove(t: Transactor, id: number): StoredEdge[] {
  const found: StoredEdge[] = [];
  const { adjacency } = t.state;
  for (const direction of ['out', 'in'] as const) {
    const neighbors = new NeighborList();
    adjacency.collect(id, direction, ANY_EDGE, neighbors);
    for (let i = 0; i < neighbors.length; i++) {
      const [other, edge] = [neighbors.at(i), neighbors.edgeAt(i)];
      if (GRANT_EDGE_NAMES.has(t.registry.edgeTypeById(edge).name)) continue;
      // An edge from the node to itself is met in both directions.
      if (direction === 'in' && other === id) continue;
      if (found.length === MERGE_EDGES_MAX) throw tooManyEdges();
      const isOut = direction === 'out';
      found.push(isOut ? { from: id, edge, to: other } : { from: other, edge, to: id });
    }
  }
  return found;
}

function tooManyEdges(): Problem {
  return new Problem(
    'merge_refused',
    `The node that is to go has more than ${MERGE_EDGES_MAX} edges`,
    {
      hint: 'Merge the other one of the two into it.',
      details: { reason: 'too-many-edges', edgesMax: MERGE_EDGES_MAX },
    },
  );
}
