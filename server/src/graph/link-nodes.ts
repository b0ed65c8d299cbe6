import { must } from '#base/assert.ts';
import { DB } from '#store/databases.ts';
import { ACCESS_EDGES } from './access-edges.ts';
import {
  checkEnds,
  checkMayLink,
  checkSees,
  checkUnlink,
  edgeTypeToWrite,
  refuseBuiltIn,
} from './access-checks.ts';
import { writeEdgeRecord } from './edge-record.ts';
import { didYouMean } from './names.ts';
import type { WriterOperation } from './operations.ts';
import type { EdgeType } from './schema-registry.ts';
import type { Transactor } from './transactor.ts';

type LinkOperation = Extract<WriterOperation, { op: 'link' }>;
type UnlinkOperation = Extract<WriterOperation, { op: 'unlink' }>;
type UnlinkExceptOperation = Extract<WriterOperation, { op: 'unlinkExcept' }>;
type FieldValues = NonNullable<LinkOperation['fields']>;

const NOTHING = new Uint8Array(0);

/**
 * Creates an edge and its inverse: the one that the operation names, else the one of the schema. An
 * edge that exists keeps its timestamp and fields, except those that are given. The inverse gets
 * the same timestamp, and the fields that its own type has too.
 */
export function linkNodes(t: Transactor, operation: LinkOperation): void {
  const edge = edgeTypeToWrite(t, operation.edge, 'edge');
  const inverse = inverseOf(t, operation, edge);
  const from = t.require(operation.from, 'from');
  const to = t.require(operation.to, 'to');
  checkMayLink(t, from, to);
  t.checkVersionOf(operation.ifVersion, from);
  if (edge.access !== undefined && !t.options.system) {
    const name = must(ACCESS_EDGES[edge.access], 'the access edge');
    checkEnds(t, name, { from, to, fromPath: 'from', toPath: 'to' });
  }
  const { fields } = operation;
  const timestampMs =
    operation.timestamp === undefined ? undefined : t.parseTimestamp(operation.timestamp);
  if (fields !== undefined) checkFieldNames(t, edge, fields);
  const written = addPair(t, from, edge, to, inverse, fields, timestampMs);
  t.wroteEdges(written);
  t.finishEdges(written > 0);
}

/**
 * Removes an edge and its inverse. Changes nothing when the edge or one of its ends does not exist.
 */
export function unlinkNodes(t: Transactor, operation: UnlinkOperation): void {
  const edge = edgeTypeToWrite(t, operation.edge, 'edge');
  const inverse = inverseOf(t, operation, edge);
  const from = t.resolve(operation.from, 'from');
  const to = t.resolve(operation.to, 'to');
  checkUnlink(t, edge, from);
  if (from !== 0 && to !== 0) checkMayLink(t, from, to);
  checkVersion(t, operation, from);
  const removed = from === 0 || to === 0 ? 0 : removePair(t, from, edge, to, inverse);
  t.wroteEdges(removed);
  t.finishEdges(removed > 0);
}

/**
 * Removes the edges of one type that leave a node, except those to the nodes in `keep`. Nodes in
 * `keep` need not exist.
 */
export function unlinkExcept(t: Transactor, operation: UnlinkExceptOperation): void {
  const edge = edgeTypeToWrite(t, operation.edge, 'edge');
  const inverse = inverseOf(t, operation, edge);
  const from = t.resolve(operation.from, 'from');
  checkUnlink(t, edge, from);
  checkVersion(t, operation, from);
  const kept = new Set<number>();
  operation.keep.forEach((reference, i) => kept.add(t.resolve(reference, `keep[${i}]`)));
  let removed = 0;
  if (from !== 0) {
    const { neighbors, adjacency } = t.state;
    neighbors.length = 0;
    adjacency.collect(from, 'out', edge.id, neighbors);
    for (let i = 0; i < neighbors.length; i++) {
      const to = neighbors.at(i);
      // Nobody can name a hidden node, to keep its edge.
      if (!kept.has(to) && !t.isHidden(to)) removed += removePair(t, from, edge, to, inverse);
    }
  }
  t.wroteEdges(removed);
  t.finishEdges(removed > 0);
}

/** Of a node that its author might not see. */
function checkVersion(
  t: Transactor,
  { ifVersion }: { readonly ifVersion?: number },
  id: number,
): void {
  if (ifVersion === undefined) return;
  if (id !== 0) checkSees(t, id);
  t.checkVersionOf(ifVersion, id);
}

function inverseOf(
  t: Transactor,
  operation: { readonly inverse?: string },
  edge: EdgeType,
): EdgeType | undefined {
  const name = operation.inverse ?? edge.inverse;
  if (name === undefined) return undefined;
  // A commit that may write an edge may also write the inverse that the schema gives it.
  if (name === edge.inverse) return pairOf(t, edge);
  const inverse = t.writtenEdgeType(name, 'inverse');
  refuseBuiltIn(t, name, 'inverse');
  refuseBuiltIn(t, edge.name, 'inverse');
  return inverse;
}

/** The inverse that the schema gives an edge type. */
export function pairOf(t: Transactor, { inverse }: EdgeType): EdgeType | undefined {
  return inverse === undefined ? undefined : must(t.registry.edgeType(inverse), 'an inverse');
}

/** Puts an edge and its inverse, which may exist already. Returns how many of the two changed. */
export function addPair(
  t: Transactor,
  from: number,
  edge: EdgeType,
  to: number,
  inverse: EdgeType | undefined,
  fields?: FieldValues,
  timestampMs?: number,
): number {
  const written = putEdge(t, from, edge, to, fields, timestampMs) ? 1 : 0;
  return inverse !== undefined && putEdge(t, to, inverse, from, fields, timestampMs)
    ? written + 1
    : written;
}

function checkFieldNames(t: Transactor, edge: EdgeType, fields: FieldValues): void {
  for (const name in fields) {
    if (fields[name] === undefined) continue;
    const known = edge.byName.get(name);
    if (known !== undefined) {
      t.refuseAlias(name, known.name, `fields.${name}`);
      continue;
    }
    throw t.fail(`The edge type "${edge.name}" has no field "${name}"`, {
      path: `fields.${name}`,
      ...didYouMean(name, edge.byName.keys()),
    });
  }
}

/** Returns whether something changed. */
function putEdge(
  t: Transactor,
  from: number,
  edge: EdgeType,
  to: number,
  given: FieldValues | undefined,
  timestampMs: number | undefined,
): boolean {
  const { state, batch } = t;
  const { keys, view, fields, edge: stored } = state;
  const key = keys.out(from, edge.id, to);
  const mayExist = state.added.mayHaveEdge(from, edge.id, to);
  const bytes = mayExist ? view.get(DB.out, key) : undefined;
  if (bytes !== undefined && given === undefined && timestampMs === undefined) return false;
  if (bytes !== undefined) stored.open(bytes);
  let table;
  if (given !== undefined || (bytes !== undefined && stored.fields.count > 0)) {
    fields.clear();
    giveFields(t, edge, given ?? {});
    const fault = fields.merge(undefined, bytes === undefined ? undefined : stored.fields, -1);
    if (fault !== undefined) throw t.failValue(fault);
    table = fields.table;
  }
  const keptMs = bytes === undefined ? t.newTimestampMs : stored.timestampMs;
  const record = writeEdgeRecord(state.bytes, timestampMs ?? keptMs, table);
  if (bytes !== undefined && record.equals(bytes)) return false;
  batch.put(DB.out, key, record);
  if (bytes !== undefined) return true;
  batch.put(DB.in, keys.in(to, edge.id, from), NOTHING);
  state.added.addEdge(from, edge.id, to);
  t.changedEdge(edge, from, to, 1);
  return true;
}

function giveFields(t: Transactor, edge: EdgeType, given: FieldValues): void {
  for (const name in given) {
    const value = given[name];
    const field = edge.byName.get(name);
    if (field?.name === name && value !== undefined) t.state.fields.give(field, value);
  }
}

/** Removes an edge and its inverse. Returns how many of the two existed. */
export function removePair(
  t: Transactor,
  from: number,
  edge: EdgeType,
  to: number,
  inverse: EdgeType | undefined,
): number {
  const removed = removeEdge(t, from, edge, to) ? 1 : 0;
  return inverse !== undefined && removeEdge(t, to, inverse, from) ? removed + 1 : removed;
}

function removeEdge(t: Transactor, from: number, edge: EdgeType, to: number): boolean {
  const { keys, view } = t.state;
  const key = keys.out(from, edge.id, to);
  if (!view.has(DB.out, key)) return false;
  t.batch.delete(DB.out, key);
  t.batch.delete(DB.in, keys.in(to, edge.id, from));
  t.changedEdge(edge, from, to, -1);
  return true;
}
