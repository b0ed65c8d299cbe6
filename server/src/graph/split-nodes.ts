import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { DB } from '#store/databases.ts';
import { dropHistory, forgetMerge, moveHistory } from './absorbed-history.ts';
import { accessEdge, neighborsOf } from './access-checks.ts';
import { removeWithAll } from './delete-node.ts';
import { isSameField } from './field-table.ts';
import { putEntries } from './indexes/index-writer.ts';
import { giveUids } from './merge-nodes.ts';
import { grantsOf, isSameGrants, removeNobody, setGrants } from './merged-access.ts';
import {
  isLater,
  MERGE_TYPE,
  MERGED_INTO,
  type MergeData,
  mergeDataOf,
  type NodeGrants,
} from './merge-record.ts';
import { type NodeRecord, openRecord } from './node-record.ts';
import type { SplitWork } from './operations.ts';
import { MERGED_FIELD } from './schema-fields.ts';
import { dropEdges, edgesToPart, returnEdges } from './split-edges.ts';
import { takeFromEvidence } from './split-evidence.ts';
import type { Transactor } from './transactor.ts';
import { rewriteNode } from './write-node.ts';

const NOTHING = new Uint8Array(0);

export interface SplitManner {
  /** Who sees both nodes, instead of who saw each before. */
  readonly grants?: NodeGrants | undefined;
  /** Whether the node that went does not come back, but is deleted with what was its own. */
  readonly drops?: boolean;
}

/**
 * Makes two nodes of one again: the inverse of `mergeNodes`. What was written to the one node since
 * then stays with it: fields that were changed again, and new edges. Edges that were removed since
 * are not given back. Each node gets its own access back, unless that of the one node was changed
 * since: then it holds for both.
 */
export function splitNodes(
  t: Transactor,
  { id }: SplitWork,
  { grants, drops = false }: SplitManner = {},
): void {
  const merge = t.resolve({ type: MERGE_TYPE, key: id }, 'id');
  if (merge === 0) throw new Problem('merge_not_found', 'There is no such merge.');
  const data = mergeDataOf(t, merge);
  const into = survivorOf(t, merge);
  checkIsLast(t, merge, into);
  const goes = openRecord(data.node);
  const type = t.registry.nodeTypeById(goes.typeId);
  const edges = edgesToPart(t, data);
  revertFields(t, into, data);
  takeFromEvidence(t, into, data);
  if (drops) {
    dropEdges(t, edges);
    dropNode(t, goes, merge);
  } else {
    putNode(t, data.id, goes);
    moveHistory(t, merge, data.id);
    returnEdges(t, edges, { from: into, to: data.id });
  }
  returnGrants(t, data, { into, grants, drops });
  removeWithAll(t, merge);
  removeNobody(t);
  forgetMerge(t, into, {
    before: openRecord(data.before),
    after: openRecord(data.after),
    isLater: (number, value) => isLater(data, type, type.byNumber.get(number), value),
  });
}

function survivorOf(t: Transactor, merge: number): number {
  const edge = t.knownEdgeType(MERGED_INTO, 'id');
  return neighborsOf(t, merge, 'out', edge).at(0);
}

function checkIsLast(t: Transactor, merge: number, into: number): void {
  const edge = t.knownEdgeType(MERGED_INTO, 'id');
  const own = numberOf(t, merge);
  for (const other of neighborsOf(t, into, 'in', edge).toArray()) {
    if (numberOf(t, other) <= own) continue;
    throw new Problem('merge_not_last', 'Another node was merged into this one later.', {
      details: { id: t.record(other).key },
    });
  }
}

/** Merges are numbered in the order of their commits. */
function numberOf(t: Transactor, merge: number): number {
  const record = t.record(merge);
  return Number(record.valueByName(t.registry.nodeTypeById(record.typeId), 'Number'));
}

/** Gives the fields that the merge has changed, and nobody since, their values from before it. */
function revertFields(t: Transactor, id: number, data: MergeData): void {
  const [before, after] = [openRecord(data.before), openRecord(data.after)];
  const now = openRecord(t.record(id).bytes);
  const type = t.registry.nodeTypeById(now.typeId);
  const isGivenLater = (number: number): boolean => {
    const field = type.byNumber.get(number);
    return isLater(data, type, field, field && now.value(field));
  };
  const numbers = new Set<number>();
  for (const { fields } of [before, after, now]) {
    for (let i = 0; i < fields.count; i++) numbers.add(fields.number(i));
  }
  const { fields } = t.state;
  fields.clear();
  for (const number of [...numbers].toSorted((a, b) => a - b)) {
    const isOfMerge = !isSameField(before.fields, after.fields, number);
    const isUntouched = number === MERGED_FIELD || isSameField(now.fields, after.fields, number);
    const isUndone = (isOfMerge && isUntouched) || isGivenLater(number);
    const source = isUndone ? before.fields : now.fields;
    const index = source.find(number);
    if (index >= 0) fields.table.copyFrom(source, index);
  }
  const isMoved = now.timestampMs !== after.timestampMs;
  rewriteNode(t, id, now, isMoved ? now.timestampMs : before.timestampMs);
}

/** Puts a node as it was, under the id that it had. */
function putNode(t: Transactor, id: number, record: NodeRecord): void {
  const { batch, state } = t;
  const type = t.registry.nodeTypeById(record.typeId);
  batch.put(DB.nodes, state.keys.node(id), record.bytes);
  giveUids(t, id, [record.uid, ...record.mergedUids]);
  batch.put(DB.types, state.keys.type(type.id, record.timestampMs, id), NOTHING);
  putEntries(t, type, id, record);
  t.returnNode(type);
  t.wroteNode(record.uidBytes, true);
}

/** Forgets a node that went. */
function dropNode(t: Transactor, { uidBytes }: NodeRecord, merge: number): void {
  t.batch.delete(DB.uids, uidBytes);
  t.state.ids.clear();
  dropHistory(t, merge);
}

function returnGrants(
  t: Transactor,
  { id, grants }: MergeData,
  manner: SplitManner & { readonly into: number },
): void {
  const { into } = manner;
  const now = manner.grants ?? grantsOf(t, into);
  const isChanged = manner.grants !== undefined || !isSameGrants(now, grants.made);
  setGrants(t, into, isChanged ? now : grants.into);
  if (manner.drops === true) return;
  setGrants(t, id, isChanged ? now : grants.node);
  // A node that comes back without a restriction writes no edge that would say so.
  const { access } = accessEdge(t, 'RestrictAccessToTeam');
  t.noteAccess(must(access, 'the place of an access edge'), id, into);
}
