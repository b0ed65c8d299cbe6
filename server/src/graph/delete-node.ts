import { DB } from '#store/databases.ts';
import { checkMayWrite, checkRestrictsNothing } from './access-checks.ts';
import { ANY_EDGE } from './adjacency.ts';
import type { GraphOperation, NodeReference } from './operations.ts';
import type { Transactor } from './transactor.ts';

type DeleteOperation = Extract<GraphOperation, { op: 'delete' }>;

/**
 * Deletes a node with every edge in both directions; to delete one that is not there changes
 * nothing.
 */
export function deleteNode(t: Transactor, operation: DeleteOperation): void {
  const id = t.resolve(referenceOf(t, operation), operation.uid === undefined ? 'key' : 'uid');
  if (id === 0) {
    t.checkVersion(operation.ifVersion, 0, operation.uid ?? null);
    return t.wroteNode(undefined, false);
  }
  const stored = t.record(id);
  const type = t.registry.nodeTypeById(stored.typeId);
  checkMayWrite(t, type.name, 'type');
  if (operation.type !== undefined && operation.type !== type.name) {
    throw t.fail(`The node is a ${type.name}, not a ${operation.type}`, { path: 'type' });
  }
  const { uid, key, timestampMs, version } = stored;
  const uidBytes = Uint8Array.from(stored.uidBytes);
  t.checkVersion(operation.ifVersion, version, uid);
  checkRestrictsNothing(t, id, type.name);
  deleteEdges(t, id);
  const { batch, state } = t;
  batch.delete(DB.nodes, state.keys.node(id));
  batch.delete(DB.uids, uidBytes);
  batch.delete(DB.types, state.keys.type(type.id, timestampMs, id));
  t.removeNode(type, uid, key);
  t.wroteNode(uidBytes, true);
}

function referenceOf(t: Transactor, operation: DeleteOperation): NodeReference {
  const { uid, type, key } = operation;
  if (uid !== undefined) return { uid };
  if (type !== undefined && key !== undefined) return { type, key };
  throw t.fail('A delete names its node', { path: 'key', expected: 'type and key, or a UID' });
}

function deleteEdges(t: Transactor, id: number): void {
  const { batch, state } = t;
  const { keys, adjacency, neighbors } = state;
  neighbors.length = 0;
  adjacency.collect(id, 'out', ANY_EDGE, neighbors);
  for (let i = 0; i < neighbors.length; i++) {
    const other = neighbors.at(i);
    const edge = neighbors.edgeAt(i);
    batch.delete(DB.out, keys.out(id, edge, other));
    batch.delete(DB.in, keys.in(other, edge, id));
    t.changedEdge(t.registry.edgeTypeById(edge), id, other, -1);
  }
  t.wroteEdges(neighbors.length);
  // An edge from the node to itself is gone by now, and not met again.
  neighbors.length = 0;
  adjacency.collect(id, 'in', ANY_EDGE, neighbors);
  for (let i = 0; i < neighbors.length; i++) {
    const other = neighbors.at(i);
    const edge = neighbors.edgeAt(i);
    batch.delete(DB.out, keys.out(other, edge, id));
    batch.delete(DB.in, keys.in(id, edge, other));
    t.changedEdge(t.registry.edgeTypeById(edge), other, id, -1);
  }
  t.wroteEdges(neighbors.length);
}
