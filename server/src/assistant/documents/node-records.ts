import { isDeepStrictEqual } from 'node:util';
import { must } from '#base/assert.ts';
import { MERGE_TYPE, MERGED_INTO, type MergeData } from '#graph/merge-record.ts';
import type { FieldValue } from '#graph/field-types.ts';
import type { WriterOperation } from '#graph/operations.ts';
import type { GraphReader } from '#graph/reader.ts';

interface Merge {
  readonly key: string;
  readonly number: number;
  readonly version: number;
  readonly data: MergeData;
  readonly survivor: string;
  readonly absorbed: string;
  readonly node: Values;
  readonly before: Values;
  readonly after: Values;
}

type Values = Readonly<Record<string, FieldValue>>;

/** What takes documents back: the fields of the node that change, and what is written. */
export interface TakenBack {
  readonly fields: Values;
  readonly operations: readonly WriterOperation[];
}

/**
 * A value of a record, and what it was before each statement that documents do not make any more.
 * The last one is what stands without them.
 */
export type FormerValues = (uid: string, field: string, value: FieldValue) => FieldValue[];

export function isMerged(reader: GraphReader, id: number): boolean {
  return reader.neighbors(id, 'in', MERGED_INTO).length > 0;
}

/**
 * The records of a node: those that were merged, or the one that it is. Documents may each have
 * told something of any of them.
 */
export class NodeRecords {
  readonly #reader: GraphReader;
  readonly #id: number;
  readonly #uid: string;
  /** In the order in which they were made. */
  readonly #merges: readonly Merge[];

  constructor(reader: GraphReader, id: number) {
    this.#reader = reader;
    this.#id = id;
    this.#uid = must(reader.uid(id), 'the UID of a node');
    this.#merges = reader
      .neighbors(id, 'in', MERGED_INTO)
      .map((one) => readMerge(reader, one))
      .toSorted((a, b) => a.number - b.number);
  }

  get uids(): readonly string[] {
    return [this.#uid, ...this.#merges.map(({ absorbed }) => absorbed)];
  }

  /** The value that a record has of its own, without what it has by being merged. */
  own(uid: string, field: string): FieldValue {
    const went = this.#merges.find(({ absorbed }) => absorbed === uid);
    let value = went === undefined ? this.#now(field) : (went.node[field] ?? null);
    for (const merge of this.#merges.filter(({ survivor }) => survivor === uid).toReversed()) {
      if (isOf(merge, field, value)) value = merge.before[field] ?? null;
    }
    return value;
  }

  /**
   * What gives the node, in these fields, the values that it would have had its records been merged
   * without the documents. The merges are told which values are theirs, so that a split takes them
   * from the node again.
   */
  takeBack(fields: readonly string[], former: FormerValues): TakenBack {
    const written: Record<string, FieldValue> = {};
    const later = new Map<Merge, { field: string; value: FieldValue }[]>();
    for (const field of fields) {
      const { value, given } = this.#without(field, former);
      if (!isDeepStrictEqual(value, this.#now(field))) written[field] = value;
      for (const [merge, one] of given) {
        const isKnown = merge.data.later?.some((other) =>
          isDeepStrictEqual(other, { field, value: one }),
        );
        if (isKnown === true) continue;
        later.set(merge, [...(later.get(merge) ?? []), { field, value: one }]);
      }
    }
    if (Object.keys(written).length === 0) return { fields: written, operations: [] };
    const ifVersion = this.#reader.version(this.#id) ?? 0;
    // First what a write of the node changes as well, which notes itself with each merge.
    const operations = [
      ...[...later].map(([{ key, version, data }, more]): WriterOperation => {
        const Data: unknown = { ...data, later: [...(data.later ?? []), ...more] };
        return { op: 'update', type: MERGE_TYPE, key, fields: { Data }, ifVersion: version };
      }),
      { op: 'update', uid: this.#uid, fields: written, ifVersion } as const,
    ];
    return { fields: written, operations };
  }

  #without(
    field: string,
    former: FormerValues,
  ): { readonly value: FieldValue; readonly given: readonly (readonly [Merge, FieldValue])[] } {
    const of = (values: Values): FieldValue => values[field] ?? null;
    const made = new Map<string, { readonly merge: Merge; readonly value: FieldValue }>();
    const given: (readonly [Merge, FieldValue])[] = [];
    // Of a record that was merged before, what it has by that, unless it was changed in between.
    const ofRecord = (uid: string, value: FieldValue): FieldValue => {
      const last = made.get(uid);
      const values = former(uid, field, value);
      const isOfMerge = last !== undefined && values.some((one) => isOf(last.merge, field, one));
      return isOfMerge ? last.value : values.at(-1);
    };
    for (const merge of this.#merges) {
      const { survivor, absorbed, before, node, after } = merge;
      const stays = ofRecord(survivor, of(before));
      const goes = ofRecord(absorbed, of(node));
      const value = joined(
        { before: of(before), node: of(node), after: of(after) },
        { stays, goes },
      );
      made.set(survivor, { merge, value });
      // What the node that stayed has by itself it keeps when the other one is split off.
      const isOwn = isDeepStrictEqual(value, stays);
      if (!isOwn && !isDeepStrictEqual(value, of(after))) given.push([merge, value]);
    }
    return { value: ofRecord(this.#uid, this.#now(field)), given };
  }

  #now(field: string): FieldValue {
    return this.#reader.field(this.#id, field) ?? null;
  }
}

/** What a merge gives a node in place of `after`, when its two nodes have other values. */
function joined(
  { before, node, after }: Readonly<Record<'before' | 'node' | 'after', FieldValue>>,
  { stays, goes }: Readonly<Record<'stays' | 'goes', FieldValue>>,
): FieldValue {
  if (isDeepStrictEqual(after, before ?? node)) return stays ?? goes;
  // Who merged them has chosen the value of the other node, or another one.
  return after !== null && isDeepStrictEqual(after, node) ? (goes ?? stays) : after;
}

/** Whether a node has a value by a merge. */
function isOf({ after, data }: Merge, field: string, value: FieldValue): boolean {
  if (isDeepStrictEqual(after[field] ?? null, value)) return true;
  return data.later?.some((one) => isDeepStrictEqual(one, { field, value })) === true;
}

function readMerge(reader: GraphReader, id: number): Merge {
  const read = (name: string): unknown => reader.field(id, name);
  const data = read('Data') as MergeData;
  return {
    key: String(read('Id')),
    number: Number(read('Number')),
    version: reader.version(id) ?? 0,
    data,
    survivor: String(read('Survivor')),
    absorbed: String(read('Absorbed')),
    node: reader.nodeOfRecord(data.node),
    before: reader.nodeOfRecord(data.before),
    after: reader.nodeOfRecord(data.after),
  };
}
