import { must } from '#base/assert.ts';
import { tryParseUid } from '#base/uid.ts';
import { DB } from '#store/databases.ts';
import { dropHistory } from './absorbed-history.ts';
import { checkMayWrite, checkRestrictsNothing, checkSees } from './access-checks.ts';
import { ANY_EDGE } from './adjacency.ts';
import { FILE_PIECE_TYPE, FILE_TYPE, HAS_FILE, pieceKey } from './file-nodes.ts';
import { applyChanges, changesOf } from './indexes/index-writer.ts';
import { MERGED_INTO } from './merge-record.ts';
import { deleteHistory, hasHistory, putLastEntry } from './node-history.ts';
import type { NodeRecord } from './node-record.ts';
import type { WriterOperation, NodeReference } from './operations.ts';
import type { NodeType } from './schema-registry.ts';
import type { Transactor } from './transactor.ts';

export type DeleteOperation = Extract<WriterOperation, { op: 'delete' }>;

/**
 * Deletes a node, all its edges in both directions, and its files. The nodes of the files are not
 * counted. Changes nothing when there is no such node, and when the operation names a node by a UID
 * or a key that leads to it only since a merge: who forgets one of two has not forgotten both.
 */
export function deleteNode(t: Transactor, operation: DeleteOperation): void {
  const id = t.resolve(referenceOf(t, operation), operation.uid === undefined ? 'key' : 'uid');
  if (id === 0) {
    t.checkVersion(operation.ifVersion, 0, operation.uid ?? null);
    return t.wroteNode(undefined, false);
  }
  checkSees(t, id);
  checkMayWrite(t, t.typeName(id), 'type');
  const stored = t.record(id);
  const type = t.registry.nodeTypeById(stored.typeId);
  if (operation.type !== undefined && t.registry.nodeType(operation.type) !== type) {
    throw t.fail(`The node is a ${type.name}, not a ${operation.type}`, { path: 'type' });
  }
  const { uid, version } = stored;
  const isNamed =
    operation.uid === undefined ? stored.key === operation.key : uid === operation.uid;
  if (!isNamed) return t.wroteNode(undefined, false);
  const uidBytes = Uint8Array.from(stored.uidBytes);
  t.checkVersion(operation.ifVersion, version, uid);
  checkRestrictsNothing(t, id, type.name);
  removeWithAll(t, id);
  t.wroteNode(uidBytes, true);
}

/** Removes a node with its edges, its files, and what is kept of nodes that were merged into it. */
export function removeWithAll(t: Transactor, id: number): void {
  const stored = t.record(id);
  const type = t.registry.nodeTypeById(stored.typeId);
  const { uid, key, timestampMs, version } = stored;
  const uidBytes = Uint8Array.from(stored.uidBytes);
  const merged = stored.mergedUids;
  const pieces = type.name === FILE_TYPE ? piecesOf(stored, type) : [];
  const changes = type.indexes.length === 0 ? [] : changesOf(t, type, id, { before: stored });
  applyChanges(t, type, id, changes);
  const { batch, state } = t;
  const { files, merges } = deleteEdges(t, id);
  for (const one of merged) batch.delete(DB.uids, must(tryParseUid(one), 'the UID of a node'));
  const withEntry = hasHistory(type);
  if (withEntry) putLastEntry(t, id);
  batch.delete(DB.nodes, state.keys.node(id));
  batch.delete(DB.uids, uidBytes);
  batch.delete(DB.types, state.keys.type(type.id, timestampMs, id));
  if (withEntry) deleteHistory(t, id, version);
  t.removeNode(type, uid, key);
  if (merged.length > 0) state.ids.clear();
  for (const merge of merges) {
    dropHistory(t, merge);
    removeWithAll(t, merge);
  }
  for (const file of files) removeWithAll(t, file);
  for (const piece of pieces) {
    const pieceId = t.resolve({ type: FILE_PIECE_TYPE, key: piece }, 'key');
    if (pieceId !== 0) removeWithAll(t, pieceId);
  }
}

/** The keys of the nodes that hold the content of a file. */
function piecesOf(file: NodeRecord, type: NodeType): string[] {
  const content = String(file.valueByName(type, 'Content'));
  const count = Number(file.valueByName(type, 'Chunks') ?? 0);
  return Array.from({ length: count }, (_, index) => pieceKey(content, index));
}

function referenceOf(t: Transactor, operation: DeleteOperation): NodeReference {
  const { uid, type, key } = operation;
  if (uid !== undefined) return { uid };
  if (type !== undefined && key !== undefined) return { type, key };
  throw t.fail('A delete names its node', { path: 'key', expected: 'type and key, or a UID' });
}

/** Deletes all edges of a node. Returns its files, and the merges into it. */
function deleteEdges(t: Transactor, id: number): { files: number[]; merges: number[] } {
  const { batch, state } = t;
  const hasFile = t.registry.edgeType(HAS_FILE)?.id;
  const mergedInto = t.registry.edgeType(MERGED_INTO)?.id;
  const files: number[] = [];
  const merges: number[] = [];
  const { keys, adjacency, neighbors } = state;
  neighbors.length = 0;
  adjacency.collect(id, 'out', ANY_EDGE, neighbors);
  for (let i = 0; i < neighbors.length; i++) {
    const other = neighbors.at(i);
    const edge = neighbors.edgeAt(i);
    if (edge === hasFile) files.push(other);
    batch.delete(DB.out, keys.out(id, edge, other));
    batch.delete(DB.in, keys.in(other, edge, id));
    t.changedEdge(t.registry.edgeTypeById(edge), id, other, -1);
  }
  t.wroteEdges(neighbors.length);
  // An edge from the node to itself is deleted by now, so it is not met a second time.
  neighbors.length = 0;
  adjacency.collect(id, 'in', ANY_EDGE, neighbors);
  for (let i = 0; i < neighbors.length; i++) {
    const other = neighbors.at(i);
    const edge = neighbors.edgeAt(i);
    if (edge === mergedInto) merges.push(other);
    batch.delete(DB.out, keys.out(other, edge, id));
    batch.delete(DB.in, keys.in(id, edge, other));
    t.changedEdge(t.registry.edgeTypeById(edge), other, id, -1);
  }
  t.wroteEdges(neighbors.length);
  return { files, merges };
}
