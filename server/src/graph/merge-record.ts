import { MERGE_EDGES_MAX } from '@trellis/contract/limits.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { DB } from '#store/databases.ts';
import { ANY_EDGE, NeighborList } from './adjacency.ts';
import type { FieldValue } from './field-types.ts';
import { NodeRecord } from './node-record.ts';
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

/** An edge of the node that went: its direction, its type, and the UID at its other end. */
export interface KeptEdge {
  readonly isOut: boolean;
  readonly edge: number;
  readonly other: string;
  /** Base64. */
  readonly record: string;
  /** Whether the node that stayed got it; false when it had an edge like it. */
  readonly moved: boolean;
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
  readonly edges: readonly KeptEdge[];
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
  return record.valueByName(type, 'Data') as MergeData;
}

/** The same as a value of the field. */
export function mergeDataValue(data: MergeData): FieldValue {
  return JSON.parse(JSON.stringify(data)) as FieldValue;
}

export function encodeRecord(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** In memory of its own: it stays valid while the state is read. */
export function openRecord(bytes: Uint8Array | string): NodeRecord {
  const record = new NodeRecord();
  record.open(typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : Buffer.from(bytes));
  return record;
}

/** Edges of a node with their records, without those that decide about access. */
export function edgesToMove(t: Transactor, id: number): Omit<KeptEdge, 'moved'>[] {
  const found: Omit<KeptEdge, 'moved'>[] = [];
  const { keys, view, adjacency } = t.state;
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
      const key = isOut ? keys.out(id, edge, other) : keys.out(other, edge, id);
      const record = encodeRecord(must(view.get(DB.out, key), 'the record of an edge'));
      found.push({ isOut, edge, other: t.record(other).uid, record });
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
