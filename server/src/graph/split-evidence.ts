import { isDeepStrictEqual } from 'node:util';
import { evidenceOf } from './document-claims.ts';
import { EVIDENCE_TYPE } from './evidence-record.ts';
import { isSameField } from './field-table.ts';
import type { FieldValue } from './field-types.ts';
import { isLater, jsonValueIn, type MergeData } from './merge-record.ts';
import { openRecord } from './node-record.ts';
import type { Transactor } from './transactor.ts';
import { writeNode } from './write-node.ts';

type Values = Readonly<Record<string, FieldValue>>;

/** What is kept of the documents that speak of a node, as far as it holds values of that node. */
interface KeptValues {
  /** What it had before them. */
  readonly base: Values;
  /** Those with null instead of a document are what others wrote. */
  readonly statements: readonly {
    readonly document: string | null;
    readonly fields: Values;
  }[];
}

/**
 * A document that spoke of the one node found values before it that the node had of the other half.
 * When the document goes they would be given to the half that stays, whom other people may see.
 */
export function takeFromEvidence(t: Transactor, into: number, data: MergeData): void {
  const [before, after] = [openRecord(data.before), openRecord(data.after)];
  const { uid, mergedUids, typeId } = t.record(into);
  const type = t.registry.nodeTypeById(typeId);
  const isOfOther = (name: string, value: FieldValue): boolean => {
    const field = type.byName.get(name);
    if (field === undefined) return false;
    if (isLater(data, type, field, value)) return true;
    if (isSameField(before.fields, after.fields, field.number)) return false;
    return isDeepStrictEqual(value, jsonValueIn(after, type, name));
  };
  for (const key of [uid, ...mergedUids]) {
    const id = evidenceOf(t, key);
    if (id === 0) continue;
    const record = t.record(id);
    const kept = record.valueByName(t.registry.nodeTypeById(record.typeId), 'Record');
    const { base, statements } = kept as KeptValues;
    const own = Object.entries(base).map(([name, value]) => [
      name,
      isOfOther(name, value) ? jsonValueIn(before, type, name) : value,
    ]);
    const left = statements.flatMap((one) => {
      if (one.document !== null) return [one];
      const fields = Object.entries(one.fields).filter(([name, value]) => !isOfOther(name, value));
      return fields.length === 0 ? [] : [{ ...one, fields: Object.fromEntries(fields) }];
    });
    const Record = { ...(kept as object), base: Object.fromEntries(own), statements: left };
    if (isDeepStrictEqual(Record, kept)) continue;
    const fields: Values = { Record };
    t.asServer(() => writeNode(t, { op: 'update', type: EVIDENCE_TYPE, key, fields }));
  }
}
