import { DB } from '#store/databases.ts';
import { removeWithAll } from './delete-node.ts';
import { uidOf } from './document-claims.ts';
import { HAS_FILE } from './file-nodes.ts';
import { pairOf } from './link-nodes.ts';
import { dropEdge, putEdge } from './merge-nodes.ts';
import {
  type KeptEdge,
  MERGE_TYPE,
  type MergeData,
  mergeDataValue,
  type StoredEdge,
} from './merge-record.ts';
import { bytesOf, isBetween, MergedEdges, nameOf, uidsOf } from './merged-edges.ts';
import { mergesOf } from './merged-halves.ts';
import type { WriterOperation } from './operations.ts';
import type { Transactor } from './transactor.ts';
import { writeNode } from './write-node.ts';

/** An edge of a node that is split, which stands for edges of the part that leaves it. */
interface PartedEdge {
  readonly place: StoredEdge;
  /** As it is stored. */
  readonly record: Uint8Array;
  /** What it stands for. */
  readonly goes: readonly KeptEdge[];
  readonly stays: readonly KeptEdge[];
}

export interface PartedEdges {
  readonly stored: readonly PartedEdge[];
  /** Edges from one of the two nodes to the other, which no node has while they are one. */
  readonly between: readonly KeptEdge[];
}

/**
 * The edges of a node that a split concerns. To be called while all UIDs still lead to the node.
 * Edges that were removed since the merge are not among them, nor edges to nodes that are gone.
 */
export function edgesToPart(t: Transactor, data: MergeData): PartedEdges {
  const merged = new MergedEdges(t);
  const [node, before] = [uidsOf(data.node), uidsOf(data.before)];
  const isOfNode = (one: KeptEdge): boolean => node.has(one.from) || node.has(one.to);
  const between = data.edges.filter((one) => isBetween(one, node, before));
  const stored = new Map<string, PartedEdge>();
  for (const one of data.edges) {
    const place = merged.placeOf(one);
    if (place === undefined || isBetween(one, node, before) || !isOfNode(one)) continue;
    const name = nameOf(place);
    const record = stored.has(name) ? undefined : bytesOf(t, place);
    if (record === undefined) continue;
    const all = merged.recordsOf(place);
    stored.set(name, {
      place,
      record,
      goes: all.filter(isOfNode),
      stays: all.filter((other) => !isOfNode(other)),
    });
  }
  return { stored: [...stored.values()].filter((one) => one.goes.length > 0), between };
}

/** Gives a node that has come back its edges. UIDs of both nodes lead to them by now. */
export function returnEdges(
  t: Transactor,
  { stored, between }: PartedEdges,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  for (const one of stored) {
    const record = takeParted(t, one);
    const [source, target] = [one.place.from, one.place.to].map((id) => (id === from ? to : id));
    putEdge(t, { from: source!, edge: one.place.edge, to: target! }, record);
  }
  const merged = new MergedEdges(t);
  for (const one of between) {
    const place = merged.placeOf(one);
    if (place === undefined || bytesOf(t, place) !== undefined) continue;
    putEdge(t, place, Buffer.from(one.record, 'base64'));
  }
}

/** Takes the edges of a node that is deleted from the one that it was a part of, with its files. */
export function dropEdges(t: Transactor, { stored }: PartedEdges): void {
  for (const one of stored) takeParted(t, one);
  for (const { place, stays } of stored) {
    const isFile = t.registry.edgeTypeById(place.edge).name === HAS_FILE;
    if (isFile && stays.length === 0) removeWithAll(t, place.to);
  }
}

/**
 * Takes an edge from the record that has it, which may be a part of a merged node. Other records of
 * that node keep their own.
 */
export function unlinkRecords(
  t: Transactor,
  operation: Extract<WriterOperation, { op: 'unlink' }>,
): void {
  const type = t.knownEdgeType(operation.edge, 'edge');
  const [from, to] = [uidOf(t, operation.from), uidOf(t, operation.to)];
  dropRecord(t, { from, edge: type.id, to });
  const inverse = pairOf(t, type);
  if (inverse !== undefined) dropRecord(t, { from: to, edge: inverse.id, to: from });
}

function dropRecord(t: Transactor, wanted: Omit<KeptEdge, 'record'>): void {
  const merged = new MergedEdges(t);
  const place = merged.placeOf(wanted);
  const record = place && bytesOf(t, place);
  if (place === undefined || record === undefined) return;
  const isWanted = (one: KeptEdge): boolean => nameOf(one) === nameOf(wanted);
  const all = merged.recordsOf(place);
  const goes = all.filter(isWanted);
  if (goes.length === 0) return;
  takeParted(t, { place, record, goes, stays: all.filter((one) => !isWanted(one)) });
  for (const id of new Set([place.from, place.to])) {
    if (t.record(id).mergedUids.length > 0) forgetEdge(t, id, isWanted);
  }
}

function forgetEdge(t: Transactor, id: number, isWanted: (one: KeptEdge) => boolean): void {
  for (const { id: key, data } of mergesOf(t, id)) {
    const edges = data.edges.filter((one) => !isWanted(one));
    if (edges.length === data.edges.length) continue;
    const fields = { Data: mergeDataValue({ ...data, edges }) };
    writeNode(t, { op: 'update', type: MERGE_TYPE, key, fields });
  }
}

/** Leaves the node that stays what is its own of an edge. Returns the record of the other part. */
function takeParted(t: Transactor, { place, record, goes, stays }: PartedEdge): Uint8Array {
  if (stays.length === 0) {
    dropEdge(t, place);
    return record;
  }
  const own = Buffer.from(goes[0]!.record, 'base64');
  const left = Buffer.from(stays[0]!.record, 'base64');
  // It had the fields of the part that leaves, or they were changed since.
  if (own.equals(record) && !left.equals(record)) {
    const { from, edge, to } = place;
    t.batch.put(DB.out, t.state.keys.out(from, edge, to), left);
  }
  return own;
}
