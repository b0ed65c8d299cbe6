import { isDeepStrictEqual } from 'node:util';
import { must, unreachable } from '#base/assert.ts';
import { formatUid, keyedUid, tryParseUid } from '#base/uid.ts';
import { neighborsOf } from './access-checks.ts';
import { deleteNode } from './delete-node.ts';
import { claimsIn, type DocumentClaims, EVIDENCE_TYPE } from './evidence-record.ts';
import { pairOf } from './link-nodes.ts';
import { jsonValueIn, MERGED_INTO, mergeDataOf } from './merge-record.ts';
import { type NodeRecord, openRecord } from './node-record.ts';
import type { NodeReference, NodeWrite, WriterOperation } from './operations.ts';
import type { EdgeType } from './schema-registry.ts';
import type { Transactor } from './transactor.ts';
import { writeNode } from './write-node.ts';

/** Runs `write`, which carries out an operation of somebody who is not the server. */
export function writeClaimed(t: Transactor, operation: WriterOperation, write: () => void): void {
  const { created } = t;
  const deleted = operation.op === 'delete' ? uidsOf(t, referenceOf(operation)) : [];
  write();
  switch (operation.op) {
    case 'addOrUpdate':
    case 'tryAdd':
    case 'update':
      // Of a node that is new no document says anything.
      return t.created > created ? undefined : takeNode(t, operation);
    case 'link':
      return takeEdges(t, operation);
    case 'delete':
      return forgetNode(t, deleted);
    case 'unlink':
    case 'unlinkExcept':
    case 'restrict':
    case 'unrestrict':
    case 'addToTeam':
    case 'removeFromTeam':
      return;
    default:
      return unreachable(operation);
  }
}

function takeNode(t: Transactor, operation: NodeWrite): void {
  const { op, fields = {} } = operation;
  const reference = writtenNode(t, operation);
  const id = reference === undefined ? 0 : t.resolve(reference, 'key');
  if (id === 0) return;
  const record = openRecord(t.record(id).bytes);
  const type = t.registry.nodeTypeById(record.typeId);
  // A `tryAdd` of a node that is there writes no values.
  const given = op === 'tryAdd' ? [] : Object.keys(fields);
  const written = new Set(given.map((name) => type.byName.get(name)));
  const went = record.mergedUids.length === 0 ? undefined : recordsThatWent(t, id);
  // Of merged nodes, it is of the one that stays, and of those that have the same value.
  const isOf = (uid: string, name: string): boolean => {
    const [now, own] = [record, went?.get(uid) ?? record].map((one) =>
      jsonValueIn(one, type, name),
    );
    return written.has(type.byName.get(name)) && isDeepStrictEqual(now, own);
  };
  // A source says that the one is there which it names.
  const named = t.options.namesRecords ? uidOf(t, must(reference, 'a reference')) : undefined;
  const isNamed = (uid: string): boolean => named === undefined || uid === named;
  take(t, [record.uid, ...record.mergedUids], (uid, { OnlyNode, OnlyFields, OnlyEdges }) => ({
    OnlyNode: OnlyNode && (op === 'update' || !isNamed(uid)),
    OnlyFields: OnlyFields.filter((name) => !isOf(uid, name)),
    OnlyEdges,
  }));
}

/** By their UIDs the records that were merged into a node, each as it was then. */
function recordsThatWent(t: Transactor, id: number): ReadonlyMap<string, NodeRecord> {
  const edge = t.registry.edgeType(MERGED_INTO);
  const merges = edge === undefined ? [] : neighborsOf(t, id, 'in', edge).toArray();
  const records = merges.map((merge) => openRecord(mergeDataOf(t, merge).node));
  return new Map(records.map((one) => [one.uid, one]));
}

/**
 * The node that an operation names, whose key may be given as the field that shows it; undefined
 * for one that gets a UID of its own.
 */
export function writtenNode(t: Transactor, operation: NodeWrite): NodeReference | undefined {
  const reference = referenceOf(operation);
  if (reference !== undefined) return reference;
  const name = operation.type === undefined ? undefined : t.nodeType(operation.type, 'type').key;
  const key = name === undefined ? undefined : operation.fields?.[name];
  const { type } = operation;
  return type === undefined || typeof key !== 'string' ? undefined : { type, key };
}

/** The UID that a reference names, also where it leads to another node since a merge. */
export function uidOf(t: Transactor, reference: NodeReference): string {
  const uid = typeof reference === 'string' ? reference : reference.uid;
  if (uid !== undefined) return uid;
  const { type, key } = reference as { readonly type: string; readonly key: string };
  return formatUid(keyedUid(t.nodeType(type, 'node').origin, key));
}

function takeEdges(t: Transactor, operation: Extract<WriterOperation, { op: 'link' }>): void {
  const edge = t.knownEdgeType(operation.edge, 'edge');
  const from = t.resolve(operation.from, 'from');
  const to = t.resolve(operation.to, 'to');
  takeEdge(t, edge, from, to);
  const inverse =
    operation.inverse === undefined ? pairOf(t, edge) : t.registry.edgeType(operation.inverse);
  if (inverse !== undefined) takeEdge(t, inverse, to, from);
}

function takeEdge(t: Transactor, edge: EdgeType, from: number, to: number): void {
  const { uid, mergedUids } = t.record(from);
  const isTaken = (claim: string): boolean => {
    const [name = '', other = ''] = claim.split(' ');
    if (t.registry.edgeType(name)?.id !== edge.id) return false;
    const end = tryParseUid(other);
    return end !== undefined && t.storedId(end) === to;
  };
  take(t, [uid, ...mergedUids], (_, claims) => ({
    ...claims,
    OnlyEdges: claims.OnlyEdges.filter((claim) => !isTaken(claim)),
  }));
}

/** What documents said of a node that is gone holds for none that is made after it. */
function forgetNode(t: Transactor, uids: readonly string[]): void {
  for (const key of uids) {
    const uid = tryParseUid(key);
    if (uid === undefined || t.storedId(uid) !== 0 || evidenceOf(t, key) === 0) continue;
    t.asServer(() => deleteNode(t, { op: 'delete', type: EVIDENCE_TYPE, key }));
  }
}

function take(
  t: Transactor,
  uids: readonly string[],
  change: (uid: string, claims: DocumentClaims) => DocumentClaims,
): void {
  for (const key of uids) {
    const id = evidenceOf(t, key);
    if (id === 0) continue;
    const record = t.record(id);
    const type = t.registry.nodeTypeById(record.typeId);
    const before = claimsIn((name) => record.valueByName(type, name));
    if (before === undefined) continue;
    const after = change(key, before);
    if (sizeOf(after) === sizeOf(before)) continue;
    const fields = { ...after };
    t.asServer(() => writeNode(t, { op: 'update', type: EVIDENCE_TYPE, key, fields }));
  }
}

function sizeOf({ OnlyNode, OnlyFields, OnlyEdges }: DocumentClaims): number {
  return Number(OnlyNode) + OnlyFields.length + OnlyEdges.length;
}

/** The id of what is kept of the node with this UID; 0 for nothing. */
export function evidenceOf(t: Transactor, uid: string): number {
  const type = t.registry.nodeType(EVIDENCE_TYPE);
  return type === undefined ? 0 : t.idOfKey(type, uid, keyedUid(type.origin, uid));
}

/** All UIDs of a node; none for one that is not there. */
function uidsOf(t: Transactor, reference: NodeReference | undefined): string[] {
  const id = reference === undefined ? 0 : t.resolve(reference, 'key');
  if (id === 0) return [];
  const { uid, mergedUids } = t.record(id);
  return [uid, ...mergedUids];
}

type NamesNode = NodeWrite | Extract<WriterOperation, { op: 'delete' }>;

/** Undefined where there is no key, or it is given as a field. */
export function referenceOf({ uid, type, key }: NamesNode): NodeReference | undefined {
  if (uid !== undefined) return { uid };
  return type === undefined || key === undefined ? undefined : { type, key };
}
