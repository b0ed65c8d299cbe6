import { isDeepStrictEqual } from 'node:util';
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

/** What a record has of a field when documents have been taken back, by what it had with them. */
export type TakenBack = (uid: string, field: string, value: FieldValue) => FieldValue;

/** A node that was made of several, of which documents may each have told something. */
export class MergedNode {
  readonly #reader: GraphReader;
  readonly #id: number;
  /** In the order in which they were made. */
  readonly #merges: readonly Merge[];

  private constructor(reader: GraphReader, id: number, merges: readonly Merge[]) {
    this.#reader = reader;
    this.#id = id;
    this.#merges = merges;
  }

  /** Undefined for a node that was not merged. */
  static of(reader: GraphReader, id: number): MergedNode | undefined {
    const merges = reader.neighbors(id, 'in', MERGED_INTO).map((one) => readMerge(reader, one));
    if (merges.length === 0) return undefined;
    return new MergedNode(
      reader,
      id,
      merges.toSorted((a, b) => a.number - b.number),
    );
  }

  /**
   * What gives the node, in these fields, the values that it would have had its records been merged
   * without the documents. The merges are told which values are theirs, so that a split takes them
   * from the node again.
   */
  takeBack(fields: readonly string[], taken: TakenBack): WriterOperation[] {
    const written: Record<string, FieldValue> = {};
    const later = new Map<Merge, { field: string; value: FieldValue }[]>();
    for (const field of fields) {
      const { value, given } = this.#without(field, taken);
      if (!isDeepStrictEqual(value, this.#now(field))) written[field] = value;
      for (const [merge, one] of given) {
        const isKnown = merge.data.later?.some((other) =>
          isDeepStrictEqual(other, { field, value: one }),
        );
        if (isKnown === true) continue;
        later.set(merge, [...(later.get(merge) ?? []), { field, value: one }]);
      }
    }
    if (Object.keys(written).length === 0) return [];
    const [uid, version] = [this.#reader.uid(this.#id)!, this.#reader.version(this.#id)!];
    // First what a write of the node changes as well, which notes itself with each merge.
    return [
      ...[...later].map(([{ key, version: ifVersion, data }, more]): WriterOperation => {
        const Data: unknown = { ...data, later: [...(data.later ?? []), ...more] };
        return { op: 'update', type: MERGE_TYPE, key, fields: { Data }, ifVersion };
      }),
      { op: 'update', uid, fields: written, ifVersion: version },
    ];
  }

  #without(
    field: string,
    taken: TakenBack,
  ): { readonly value: FieldValue; readonly given: readonly (readonly [Merge, FieldValue])[] } {
    const of = (values: Values): FieldValue => values[field] ?? null;
    const made = new Map<string, { readonly merge: Merge; readonly value: FieldValue }>();
    const given: (readonly [Merge, FieldValue])[] = [];
    // Of a record that was merged before, what it has by that, unless it was changed in between.
    const ofRecord = (uid: string, value: FieldValue): FieldValue => {
      const last = made.get(uid);
      const isOfMerge = (one: FieldValue): boolean =>
        last !== undefined && isOf(last.merge, field, one);
      const own = isOfMerge(value) ? value : taken(uid, field, value);
      return last !== undefined && isOfMerge(own) ? last.value : own;
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
    const uid = this.#reader.uid(this.#id)!;
    return { value: ofRecord(uid, this.#now(field)), given };
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
