import { asBuffer, ByteWriter } from '../bytes.ts';
import { decodeField } from '../field-decoder.ts';
import { encodeField } from '../field-encoder.ts';
import { isListTag, scalarOf } from '../field-types.ts';
import { writeType } from '../keys.ts';
import { asIndexed } from './converted-record.ts';
import type { NodeRecord } from '../node-record.ts';
import {
  type FieldIndex,
  type IndexedField,
  isOfTimestamp,
  TIMESTAMP_FIELD,
} from './field-index.ts';
import { digestOf, IndexKey } from './index-key.ts';

/** What one node has in one index. */
export interface IndexEntries {
  /** In `indexes`, each once. */
  readonly keys: readonly Uint8Array[];
  /** In `uniques`: none where the index is not unique, or a field has no value. */
  readonly uniqueKeys: readonly Uint8Array[];
  /** Of a list, the items that these are of. */
  readonly uniqueItems?: readonly unknown[];
}

export interface IndexedNode {
  readonly id: number;
  readonly record: NodeRecord;
}

const UNIQUE_KEY_BYTES = 2 + 16;

/** Makes the entries of nodes. */
export class EntryMaker {
  readonly #key = new IndexKey();
  readonly #whole = new IndexKey({ isWhole: true });
  readonly #item = new ByteWriter();

  /**
   * What a node has in one index: nothing where its first field has no value, an
   * entry for each different item of a list. `secret` keys digests.
   */
  entriesOf(index: FieldIndex, stored: IndexedNode, secret: Uint8Array): IndexEntries {
    const { fields } = index;
    const record = asIndexed(stored.record, fields);
    const node = record === stored.record ? stored : { id: stored.id, record };
    const [first] = fields;
    if (first === undefined || isOfTimestamp(index)) return NO_ENTRIES;
    const place = first.number === TIMESTAMP_FIELD ? -1 : record.fields.find(first.number);
    if (first.number !== TIMESTAMP_FIELD && place < 0) return NO_ENTRIES;
    if (place >= 0 && isListTag(record.fields.tag(place))) {
      return this.#entriesOfList(index, node, place, secret);
    }
    this.#write(index, node, secret, (key) => {
      fields.forEach((field, i) => writeField(key, record, field, i === 0));
    });
    const isUnique = index.unique && hasAll(index, record);
    return {
      keys: [this.#key.copy()],
      uniqueKeys: isUnique ? [uniqueKeyOf(index.number, this.#whole.bytes, secret)] : [],
    };
  }

  /**
   * The one key of a node in an index that is not unique; undefined where it has none, or several.
   * Valid until the next.
   */
  keyOf(index: FieldIndex, stored: IndexedNode, secret: Uint8Array): Uint8Array | undefined {
    const record = asIndexed(stored.record, index.fields);
    const node = record === stored.record ? stored : { id: stored.id, record };
    const [first] = index.fields;
    if (first === undefined || index.unique || isOfTimestamp(index)) return undefined;
    if (first.number !== TIMESTAMP_FIELD) {
      const place = record.fields.find(first.number);
      if (place < 0 || isListTag(record.fields.tag(place))) return undefined;
    }
    this.#write(index, node, secret, (key) => {
      index.fields.forEach((field, i) => writeField(key, record, field, i === 0));
    });
    return this.#key.bytes;
  }

  #entriesOfList(
    index: FieldIndex,
    node: IndexedNode,
    place: number,
    secret: Uint8Array,
  ): IndexEntries {
    const { bytes, fields } = node.record;
    const tag = fields.tag(place);
    const scalar = scalarOf(tag);
    const value = decodeField(bytes, fields.start(place), fields.end(place), tag, tag);
    const keys = new Map<string, Uint8Array>();
    const uniqueKeys = new Map<string, Uint8Array>();
    const uniqueItems = new Map<string, unknown>();
    for (const item of Array.isArray(value) ? value : []) {
      this.#item.length = 0;
      encodeField(this.#item, scalar, item);
      this.#write(index, node, secret, (key) => {
        key.stored(this.#item.bytes, 0, this.#item.length, scalar);
      });
      keys.set(nameOf(this.#key.bytes), this.#key.copy());
      if (!index.unique) continue;
      const uniqueKey = uniqueKeyOf(index.number, this.#whole.bytes, secret);
      uniqueKeys.set(nameOf(uniqueKey), uniqueKey);
      uniqueItems.set(nameOf(uniqueKey), item);
    }
    return {
      keys: [...keys.values()],
      uniqueKeys: [...uniqueKeys.values()],
      uniqueItems: [...uniqueItems.values()],
    };
  }

  /** Leaves the key in `#key`, and the whole values in `#whole` where they are needed. */
  #write(
    index: FieldIndex,
    { id, record }: IndexedNode,
    secret: Uint8Array,
    write: (key: IndexKey) => void,
  ): void {
    const key = this.#key.begin(index.number);
    if (index.isHashed || index.unique) write(this.#whole.begin(index.number));
    if (index.isHashed) key.digest(this.#whole.bytes, secret);
    else write(key);
    key.timedId(record.timestampMs, id);
  }
}

export const NO_ENTRIES: IndexEntries = { keys: [], uniqueKeys: [] };

/** A text that is equal for equal keys only. */
export function nameOf(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('latin1');
}

function uniqueKeyOf(index: number, values: Uint8Array, secret: Uint8Array): Uint8Array {
  const key = new Uint8Array(UNIQUE_KEY_BYTES);
  writeType(key, 0, index);
  key.set(digestOf(values, secret).subarray(0, UNIQUE_KEY_BYTES - 2), 2);
  return key;
}

function writeField(
  key: IndexKey,
  record: NodeRecord,
  field: IndexedField,
  isFirst: boolean,
): void {
  if (field.number === TIMESTAMP_FIELD) {
    if (!isFirst) key.present();
    key.double(record.timestampMs);
    return;
  }
  const { fields } = record;
  const place = fields.find(field.number);
  if (place < 0) return key.absent();
  if (!isFirst) key.present();
  const scalar = scalarOf(fields.tag(place));
  key.stored(asBuffer(record.bytes), fields.start(place), fields.end(place), scalar);
}

/** Whether each field of the index has a value: only then the values are unique together. */
function hasAll({ fields }: FieldIndex, record: NodeRecord): boolean {
  return fields.every(
    ({ number }) => number === TIMESTAMP_FIELD || record.fields.find(number) >= 0,
  );
}

/** Whether two records of one node have the same entries in an index. */
export function hasSameEntries(index: FieldIndex, a: NodeRecord, b: NodeRecord): boolean {
  if (a.timestampMs !== b.timestampMs) return false;
  return index.fields.every(({ number }) => {
    if (number === TIMESTAMP_FIELD) return true;
    const placeA = a.fields.find(number);
    const placeB = b.fields.find(number);
    if (placeA < 0 || placeB < 0) return placeA === placeB;
    return (
      a.fields.tag(placeA) === b.fields.tag(placeB) &&
      a.bytes.compare(
        b.bytes,
        b.fields.start(placeB),
        b.fields.end(placeB),
        a.fields.start(placeA),
        a.fields.end(placeA),
      ) === 0
    );
  });
}
