import { deleteNode, type DeleteOperation, removeWithAll } from './delete-node.ts';
import { referenceOf, uidOf } from './document-claims.ts';
import { isSameField } from './field-table.ts';
import type { FieldValue } from './field-types.ts';
import { mergeNodes } from './merge-nodes.ts';
import { grantsOf } from './merged-access.ts';
import { addWritten, EVERY_HALF, type Halves, mergesOf } from './merged-halves.ts';
import { MERGE_TYPE } from './merge-record.ts';
import { type Field, FIRST_FIELD } from './schema-fields.ts';
import { splitNodes } from './split-nodes.ts';
import { openRecord } from './node-record.ts';
import type { Transactor } from './transactor.ts';

/** A merge that is made again, with what people have chosen of the node since. */
interface Again extends Halves {
  readonly fields: Readonly<Record<string, FieldValue>>;
}

/**
 * Deletes the node that an operation names. Where that is one of several that were merged, and the
 * author tells of records by their names, it is as if it had been split off first: the others stay
 * one node, each with what it had. See docs/duplicates.md.
 */
export function deleteNamed(t: Transactor, operation: DeleteOperation): void {
  const reference = t.options.namesRecords ? referenceOf(operation) : undefined;
  const id = reference === undefined ? 0 : t.resolve(reference, 'key');
  if (reference === undefined || id === 0) return deleteNode(t, operation);
  const { mergedUids, typeId, version, uid } = t.record(id);
  const type = t.registry.nodeTypeById(typeId);
  const isOfType = operation.type === undefined || t.registry.nodeType(operation.type) === type;
  if (mergedUids.length === 0 || !isOfType) return deleteNode(t, operation);
  t.checkVersion(operation.ifVersion, version, uid);
  const half = uidOf(t, reference);
  t.asServer(() => deleteHalf(t, id, half));
  t.splits++;
  t.wroteNode(t.parseUid(half, 'uid'), true);
}

function deleteHalf(t: Transactor, id: number, half: string): void {
  const merges = mergesOf(t, id);
  const at = merges.findIndex((one) => one.survivor === half || one.absorbed === half);
  const first = merges[at]!;
  // What was written to the one node since stays with the node that stays. Where it may be of the
  // half that goes, only those may see it who saw it before.
  const stays = t.record(id).uid !== half;
  const mayTell = (merge: Halves, i: number): boolean =>
    merge.written.includes(half) ||
    merge.written.includes(EVERY_HALF) ||
    (i > at && chosenAtMerge(t, merge).length > 0);
  const grants = stays && merges.some(mayTell) ? grantsOf(t, id) : undefined;
  const again: Again[] = [];
  for (const merge of merges.slice(at).toReversed()) {
    again.unshift({ ...merge, fields: merge.survivor === half ? {} : chosenFields(t, merge) });
    splitNodes(t, merge, { grants, drops: merge === first && merge.absorbed === half });
  }
  if (first.survivor === half) removeWithAll(t, t.require({ uid: half }, 'uid'));
  const heir = first.survivor === half ? first.absorbed : first.survivor;
  const written = again.flatMap((one) => one.written).filter((name) => name !== half);
  for (const { id: key, survivor, absorbed, fields, by } of again.slice(1)) {
    const [into, node] = [survivor, absorbed].map((uid) => (uid === half ? heir : uid));
    mergeNodes(t, { id: key, into: into!, node: node!, fields, by });
    if (stays) addWritten(t, t.require({ type: MERGE_TYPE, key }, 'uid'), written);
  }
}

/**
 * Fields of a merged node whose values do not follow from the two nodes: people have chosen them
 * when they merged, or have written them since.
 */
function chosenFields(t: Transactor, merge: Halves): Record<string, FieldValue> {
  const now = openRecord(t.record(t.require({ uid: merge.survivor }, 'uid')).bytes);
  const after = openRecord(merge.data.after);
  const chosen = new Set(chosenAtMerge(t, merge));
  const fields: Record<string, FieldValue> = {};
  for (const field of fieldsOf(t, merge)) {
    const isSame = isSameField(now.fields, after.fields, field.number);
    if (isSame && !chosen.has(field)) continue;
    fields[field.name] = now.fields.find(field.number) < 0 ? null : now.value(field);
  }
  return fields;
}

function chosenAtMerge(t: Transactor, merge: Halves): Field[] {
  const [node, before, after] = [merge.data.node, merge.data.before, merge.data.after].map(
    (text) => openRecord(text).fields,
  );
  return fieldsOf(t, merge).filter(({ number }) => {
    const given = before!.find(number) >= 0 ? before! : node!;
    return !isSameField(after!, given, number);
  });
}

function fieldsOf(t: Transactor, { data }: Halves): Field[] {
  const { byNumber } = t.registry.nodeTypeById(openRecord(data.after).typeId);
  return [...byNumber.values()].filter(({ number }) => number >= FIRST_FIELD);
}
