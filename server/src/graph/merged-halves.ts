import { assert, unreachable } from '#base/assert.ts';
import { neighborsOf } from './access-checks.ts';
import {
  grantsOf,
  intersectGrants,
  isSameGrants,
  removeNobody,
  setGrants,
} from './merged-access.ts';
import {
  GRANT_EDGE_NAMES,
  MERGE_TYPE,
  MERGED_INTO,
  type MergeData,
  mergeDataOf,
  mergeDataValue,
  type NodeGrants,
} from './merge-record.ts';
import type { NodeReference, WriterOperation } from './operations.ts';
import { uidOf, writtenNode } from './document-claims.ts';
import type { Transactor } from './transactor.ts';
import { writeNode } from './write-node.ts';

/** An operation that may change who sees a node. */
export type AccessOperation = Extract<
  WriterOperation,
  { readonly op: 'link' | 'unlink' | 'unlinkExcept' | 'restrict' | 'unrestrict' }
>;

/** One merge of those that made a node, as its halves change. */
export interface Halves {
  /** The key of its record. */
  readonly id: string;
  readonly number: number;
  readonly survivor: string;
  readonly absorbed: string;
  /** The UID of who asked for it; undefined when a rule did. */
  readonly by: string | undefined;
  /** As `noteWritten` keeps them. */
  readonly written: readonly string[];
  readonly data: MergeData;
  grants: { node: NodeGrants; into: NodeGrants; made: NodeGrants };
}

/**
 * Runs `write`, which carries out an operation. Where that says who sees a node that was merged, it
 * says so of the half that it names, as the source of that half knows no other: the node is then
 * for those who may see every half. The server itself writes the node, as people have decided for
 * the one node.
 */
export function writeAccess(t: Transactor, operation: AccessOperation, write: () => void): void {
  const reference = t.options.system ? undefined : restricted(operation);
  const id = reference === undefined ? 0 : t.resolve(reference, 'node');
  if (reference === undefined || id === 0 || t.record(id).mergedUids.length === 0) return write();
  writeHalf(t, id, uidOf(t, reference), write);
}

/** The node whose access an operation writes; undefined when it writes another edge. */
function restricted(operation: AccessOperation): NodeReference | undefined {
  switch (operation.op) {
    case 'restrict':
    case 'unrestrict':
      return operation.node;
    case 'unlinkExcept':
      return GRANT_EDGE_NAMES.has(operation.edge) ? operation.from : undefined;
    case 'link':
    case 'unlink': {
      if (!GRANT_EDGE_NAMES.has(operation.edge)) return undefined;
      return operation.edge === '_Owns' ? operation.to : operation.from;
    }
  }
}

function writeHalf(t: Transactor, id: number, uid: string, write: () => void): void {
  const merges = mergesOf(t, id);
  const now = grantsOf(t, id);
  const last = merges.at(-1);
  assert(last !== undefined, 'a node with UIDs of others has merges');
  if (!isSameGrants(now, last.grants.made)) {
    // Somebody has decided for the one node: that holds for both halves of each merge.
    for (const one of merges) one.grants = { node: now, into: now, made: now };
  }
  const at = merges.findIndex(({ survivor, absorbed }) => survivor === uid || absorbed === uid);
  const first = merges[at];
  assert(first !== undefined, 'each UID of a merged node is that of a half');
  const half = first.absorbed === uid ? 'node' : 'into';
  t.asServer(() => setGrants(t, id, first.grants[half]));
  write();
  const written = grantsOf(t, id);
  t.asServer(() => {
    setGrants(t, id, join(t, merges, { at, half, grants: written }));
    last.grants.made = grantsOf(t, id);
    removeNobody(t);
    for (const one of merges) keep(t, one);
  });
}

/** Gives a half its grants, and what was merged of it what follows. Returns those of the node. */
function join(
  t: Transactor,
  merges: readonly Halves[],
  {
    at,
    half,
    grants,
  }: { readonly at: number; readonly half: 'node' | 'into'; readonly grants: NodeGrants },
): NodeGrants {
  const type = t.typeName(t.require({ uid: merges[at]!.survivor }, 'merge'));
  let [made, into, part] = [grants, at, half];
  while (into >= 0) {
    const merge = merges[into]!;
    merge.grants[part] = made;
    made = intersectGrants(t, type, merge.grants.into, merge.grants.node);
    merge.grants.made = made;
    const { survivor } = merge;
    into = merges.findIndex(
      (one, i) => i > into && [one.survivor, one.absorbed].includes(survivor),
    );
    part = merges[into]?.absorbed === survivor ? 'node' : 'into';
  }
  return made;
}

/** In the order in which they were made. */
export function mergesOf(t: Transactor, id: number): Halves[] {
  const merges = mergeIds(t, id).map((merge): Halves => {
    const data = mergeDataOf(t, merge);
    const record = t.record(merge);
    const type = t.registry.nodeTypeById(record.typeId);
    const text = (name: string) => String(record.valueByName(type, name));
    const by = record.valueByName(type, 'By');
    return {
      id: record.key ?? '',
      number: Number(record.valueByName(type, 'Number')),
      survivor: text('Survivor'),
      absorbed: text('Absorbed'),
      by: typeof by === 'string' ? by : undefined,
      written: writtenOf(t, merge),
      data,
      grants: { ...data.grants },
    };
  });
  return merges.toSorted((a, b) => a.number - b.number);
}

function keep(t: Transactor, { id, data, grants }: Halves): void {
  const { node, into, made } = data.grants;
  if (
    isSameGrants(node, grants.node) &&
    isSameGrants(into, grants.into) &&
    isSameGrants(made, grants.made)
  ) {
    return;
  }
  const fields = { Data: mergeDataValue({ ...data, grants }) };
  writeNode(t, { op: 'update', type: MERGE_TYPE, key: id, fields });
}

function mergeIds(t: Transactor, id: number): number[] {
  return neighborsOf(t, id, 'in', t.knownEdgeType(MERGED_INTO, 'node')).toArray();
}

/** Stands for every half: who wrote saw the one node, and named none of them. */
export const EVERY_HALF = '*';

/**
 * Notes with each merge of a node by which names fields and edges were written to it since. That
 * decides who sees what was written when one of its halves goes.
 */
export function noteWritten(t: Transactor, operation: WriterOperation): void {
  for (const reference of writtenNodes(t, operation)) {
    const id = t.resolve(reference, 'node');
    if (id === 0 || t.record(id).mergedUids.length === 0) continue;
    const name = t.options.namesRecords ? uidOf(t, reference) : EVERY_HALF;
    for (const merge of mergeIds(t, id)) addWritten(t, merge, [name]);
  }
}

export function addWritten(t: Transactor, merge: number, names: readonly string[]): void {
  const before = writtenOf(t, merge);
  const after = [...new Set([...before, ...names])];
  if (after.length === before.length) return;
  const key = t.record(merge).key ?? '';
  const fields = { Written: after };
  t.asServer(() => writeNode(t, { op: 'update', type: MERGE_TYPE, key, fields }));
}

function writtenOf(t: Transactor, merge: number): readonly string[] {
  const record = t.record(merge);
  const type = t.registry.nodeTypeById(record.typeId);
  return (record.valueByName(type, 'Written') ?? []) as readonly string[];
}

function writtenNodes(t: Transactor, operation: WriterOperation): readonly NodeReference[] {
  switch (operation.op) {
    case 'addOrUpdate':
    case 'update':
      return [writtenNode(t, operation)].filter((one) => one !== undefined);
    case 'link':
      return [operation.from, operation.to];
    // A `tryAdd` of a node that is there writes nothing; what is taken away is not seen by others.
    case 'tryAdd':
    case 'delete':
    case 'unlink':
    case 'unlinkExcept':
    case 'restrict':
    case 'unrestrict':
    case 'addToTeam':
    case 'removeFromTeam':
      return [];
    default:
      return unreachable(operation);
  }
}
