import { MERGE_BYTES_MAX, MERGED_UIDS_MAX, NODE_ALIASES_MAX } from '@trellis/contract/limits.ts';
import { must } from '#base/assert.ts';
import { Problem } from '#base/problem.ts';
import { tryParseUid } from '#base/uid.ts';
import { DB } from '#store/databases.ts';
import { moveHistory } from './absorbed-history.ts';
import { writeEdgeRecord } from './edge-record.ts';
import { applyChanges, changesOf } from './indexes/index-writer.ts';
import { grantsOf, intersectGrants, setGrants } from './merged-access.ts';
import {
  edgesToMove,
  encodeRecord,
  type KeptEdge,
  MERGE_TYPE,
  MERGED_INTO,
  type MergeData,
  mergeDataValue,
  type StoredEdge,
} from './merge-record.ts';
import { bytesOf, MergedEdges } from './merged-edges.ts';
import { isSystemName } from './names.ts';
import { putLastEntry } from './node-history.ts';
import { type NodeRecord, openRecord } from './node-record.ts';
import type { MergeWork } from './operations.ts';
import { FIRST_FIELD } from './schema-fields.ts';
import { type NodeType } from './schema-registry.ts';
import type { Transactor } from './transactor.ts';
import { updateFields, writeNode } from './write-node.ts';

const NOTHING = new Uint8Array(0);

/**
 * Makes one node of two of the same type. The node that goes leaves its edges, its files and the
 * fields that the other lacks; its UID and its key lead to the other from now on, for reads and for
 * writes. Who sees the node that stays has seen both: see `merged-access.ts`. What a split needs is
 * kept in a node of its own.
 */
export function mergeNodes(t: Transactor, work: MergeWork): void {
  const into = t.require({ uid: work.into }, 'into');
  const node = t.require({ uid: work.node }, 'node');
  t.checkVersionOf(work.intoVersion, into);
  t.checkVersionOf(work.nodeVersion, node);
  const stays = openRecord(t.record(into).bytes);
  const goes = openRecord(t.record(node).bytes);
  const type = t.registry.nodeTypeById(stays.typeId);
  checkPair(t, { into, node, stays, goes });
  const grants = { node: grantsOf(t, node), into: grantsOf(t, into) };
  const made = intersectGrants(t, type.name, grants.into, grants.node);
  const moved = edgesToMove(t, node);
  const edges = recordEdges(t, moved, { from: node, to: into });
  const records = moved.map((one) => must(bytesOf(t, one), 'the record of an edge'));

  const merge = addMergeNode(t, work, type.name);
  setGrants(t, node, { teams: [], users: [], owners: [] });
  removeNode(t, type, node, goes, merge);
  for (const [i, one] of moved.entries()) {
    moveEdge(t, one, { from: node, to: into, record: records[i]! });
  }
  setGrants(t, into, made);
  giveUids(t, into, [goes.uid, ...goes.mergedUids]);
  fillFields(t, into, { stays, goes, type, work });

  const data: MergeData = {
    id: node,
    node: encodeRecord(goes.bytes),
    before: encodeRecord(stays.bytes),
    after: encodeRecord(t.record(into).bytes),
    edges,
    grants: { ...grants, made: grantsOf(t, into) },
  };
  putMergeData(t, work, data, stays.uid);
  const edge = must(t.registry.edgeType(MERGED_INTO), 'a built-in edge');
  putEdge(t, { from: merge, edge: edge.id, to: into }, undefined);
}

interface Pair {
  readonly into: number;
  readonly node: number;
  readonly stays: NodeRecord;
  readonly goes: NodeRecord;
}

function checkPair(t: Transactor, { into, node, stays, goes }: Pair): void {
  if (into === node) throw refused('same-node', 'They are one node already');
  const type = t.registry.nodeTypeById(stays.typeId).name;
  if (stays.typeId !== goes.typeId) {
    const other = t.registry.nodeTypeById(goes.typeId).name;
    throw refused('types', `One is a ${type}, the other a ${other}`);
  }
  if (isSystemName(type)) throw refused('built-in', `Nodes of ${type} are not merged`);
  const uids = stays.mergedUids.length + goes.mergedUids.length + 1;
  if (uids > MERGED_UIDS_MAX) {
    throw refused('too-many-nodes', `More than ${MERGED_UIDS_MAX} nodes would be one`);
  }
}

function refused(reason: string, why: string): Problem {
  return new Problem('merge_refused', `These nodes cannot be merged: ${why}.`, {
    details: { reason },
  });
}

/** Its data is put at the end, when it is known; its history is that of the node that goes. */
function addMergeNode(t: Transactor, { id, node, into, by }: MergeWork, type: string): number {
  const fields = {
    Number: t.batch.nextSequence,
    Survivor: into,
    Absorbed: node,
    OfType: type,
    ...(by === undefined ? {} : { By: by }),
  };
  writeNode(t, { op: 'addOrUpdate', type: MERGE_TYPE, key: id, fields });
  return t.require({ type: MERGE_TYPE, key: id }, 'merge');
}

function putMergeData(t: Transactor, work: MergeWork, data: MergeData, survivor: string): void {
  const value = mergeDataValue(data);
  if (JSON.stringify(value).length > MERGE_BYTES_MAX) {
    throw new Problem('merge_refused', 'The two nodes are too large to be merged.', {
      details: { reason: 'too-large', bytesMax: MERGE_BYTES_MAX },
    });
  }
  const absorbed = openRecord(data.node).uid;
  const fields = { Data: value, Survivor: survivor, Absorbed: absorbed };
  writeNode(t, { op: 'update', type: MERGE_TYPE, key: work.id, fields });
}

/** Removes a node as a deletion does, but for its history, which goes with the merge. */
function removeNode(
  t: Transactor,
  type: NodeType,
  id: number,
  record: NodeRecord,
  merge: number,
): void {
  const { batch, state } = t;
  const { version, timestampMs, uid, key } = record;
  applyChanges(t, type, id, changesOf(t, type, id, { before: record }));
  moveHistory(t, id, merge);
  putLastEntry(t, id);
  batch.delete(DB.nodes, state.keys.node(id));
  batch.delete(DB.uids, record.uidBytes);
  batch.delete(DB.types, state.keys.type(type.id, timestampMs, id));
  batch.delete(DB.history, state.keys.version(id, version + 1));
  t.removeNode(type, uid, key);
  state.ids.clear();
}

interface Move {
  readonly from: number;
  readonly to: number;
}

/** What is kept of edges that are to move: see `MergedEdges`. */
function recordEdges(t: Transactor, moved: readonly StoredEdge[], move: Move): KeptEdge[] {
  const merged = new MergedEdges(t);
  return moved.flatMap((one) => {
    const place = placeAfter(one, move);
    const isMet = place !== undefined && bytesOf(t, place) !== undefined;
    return [...merged.recordsOf(one), ...(isMet ? merged.recordsOf(place) : [])];
  });
}

/** Where an edge of a node is after it was moved; undefined for one between the two nodes. */
function placeAfter({ from, edge, to }: StoredEdge, move: Move): StoredEdge | undefined {
  if (from !== to && [from, to].includes(move.to)) return undefined;
  const [source, target] = [from, to].map((id) => (id === move.from ? move.to : id));
  return { from: source!, edge, to: target! };
}

/** Takes an edge from a node, and gives it to another that has none like it. */
function moveEdge(
  t: Transactor,
  edge: StoredEdge,
  { record, ...move }: Move & { readonly record: Uint8Array },
): void {
  dropEdge(t, edge);
  const place = placeAfter(edge, move);
  if (place !== undefined && bytesOf(t, place) === undefined) putEdge(t, place, record);
}

/** `record` undefined: without fields, made now. */
export function putEdge(
  t: Transactor,
  { from, edge, to }: StoredEdge,
  record: Uint8Array | undefined,
): void {
  const { batch, state } = t;
  const bytes = record ?? writeEdgeRecord(state.bytes, t.options.nowMs, undefined);
  batch.put(DB.out, state.keys.out(from, edge, to), bytes);
  batch.put(DB.in, state.keys.in(to, edge, from), NOTHING);
  state.added.addEdge(from, edge, to);
  t.changedEdge(t.registry.edgeTypeById(edge), from, to, 1);
  t.wroteEdges(1);
}

export function dropEdge(t: Transactor, { from, edge, to }: StoredEdge): void {
  const { batch, state } = t;
  batch.delete(DB.out, state.keys.out(from, edge, to));
  batch.delete(DB.in, state.keys.in(to, edge, from));
  t.changedEdge(t.registry.edgeTypeById(edge), from, to, -1);
  t.wroteEdges(1);
}

/** Leads UIDs to a node. */
export function giveUids(t: Transactor, id: number, uids: readonly string[]): void {
  const { batch, state } = t;
  for (const uid of uids) {
    const bytes = must(tryParseUid(uid), 'the UID of a node');
    batch.put(DB.uids, bytes, state.keys.idValue(id));
    state.added.addNode(bytes);
  }
  state.ids.clear();
}

/** Gives the node that stays what it lacks, and what the work says. */
function fillFields(
  t: Transactor,
  id: number,
  {
    stays,
    goes,
    type,
    work,
  }: {
    readonly stays: NodeRecord;
    readonly goes: NodeRecord;
    readonly type: NodeType;
    readonly work: MergeWork;
  },
): void {
  const missing: Record<string, unknown> = {};
  for (let i = 0; i < goes.fields.count; i++) {
    const number = goes.fields.number(i);
    const field = type.byNumber.get(number);
    if (number < FIRST_FIELD || field === undefined || stays.fields.find(number) >= 0) continue;
    missing[field.name] = goes.value(field);
  }
  updateFields(t, id, {
    fields: { ...missing, ...work.fields },
    aliases: [...new Set([...stays.aliases, ...goes.aliases])].slice(0, NODE_ALIASES_MAX),
    merged: [...stays.mergedUids, goes.uid, ...goes.mergedUids],
  });
}
