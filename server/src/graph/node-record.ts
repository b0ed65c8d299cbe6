import type { NodeObject } from '@trellis/contract/shapes/node.ts';
import { formatUid, UID_BYTES } from '#base/uid.ts';
import { BufferViews } from './bytes.ts';
import type { ByteWriter } from './bytes.ts';
import { decodeField } from './field-decoder.ts';
import { LIST, TAG } from './field-types.ts';
import { FieldTable, WIDE_ENDS } from './field-table.ts';
import type { FieldTableWriter } from './field-table.ts';
import { ALIASES_FIELD, type Field, KEY_FIELD, MERGED_FIELD } from './schema-fields.ts';
import type { NodeType } from './schema-registry.ts';
import { formatTime } from './time.ts';

/**
 * A node as it is stored:
 *
 *   u8 flags, u16 type, u32 version, f64 timestamp (ms), 16 bytes UID,
 *   fields (see `field-table.ts`)
 *
 * Its key, its aliases and the UIDs of nodes that were merged into it are stored among the fields,
 * under reserved numbers.
 */
const TYPE_AT = 1;
const VERSION_AT = 3;
const TIMESTAMP_AT = 7;
const UID_AT = 15;
const FIELDS_AT = UID_AT + UID_BYTES;

const ALIASES_TAG = TAG.String | LIST;
const MERGED_TAG = TAG.UID | LIST;

/** The number of the type of a stored node. */
export function typeIdOf(record: Uint8Array): number {
  return (record[TYPE_AT]! << 8) | record[TYPE_AT + 1]!;
}

/**
 * A view of one stored node. It is opened on one record after another, and valid as long as the
 * bytes are.
 */
export class NodeRecord {
  readonly fields = new FieldTable();
  readonly #views = new BufferViews();
  #bytes: Buffer = Buffer.alloc(0);

  open(bytes: Uint8Array): void {
    this.#bytes = this.#views.of(bytes);
    const isWide = (this.#bytes[0]! & WIDE_ENDS) !== 0;
    this.fields.open(this.#bytes, FIELDS_AT, isWide);
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  get typeId(): number {
    return typeIdOf(this.#bytes);
  }

  get version(): number {
    return this.#bytes.readUInt32BE(VERSION_AT);
  }

  get timestampMs(): number {
    return this.#bytes.readDoubleBE(TIMESTAMP_AT);
  }

  get uid(): string {
    return formatUid(this.#bytes, UID_AT);
  }

  /** A view of the UID, valid as long as the record is. */
  get uidBytes(): Uint8Array {
    return this.#bytes.subarray(UID_AT, FIELDS_AT);
  }

  get key(): string | undefined {
    const index = this.fields.find(KEY_FIELD);
    if (index < 0) return undefined;
    return this.#bytes.toString('utf8', this.fields.start(index), this.fields.end(index));
  }

  get aliases(): readonly string[] {
    const index = this.fields.find(ALIASES_FIELD);
    // The aliases are encoded as a list of strings.
    return index < 0 ? [] : (this.#decode(index, ALIASES_TAG) as string[]);
  }

  /** The UIDs that lead to this node beside its own: see `merge-nodes.ts`. */
  get mergedUids(): readonly string[] {
    const index = this.fields.find(MERGED_FIELD);
    // They are encoded as a list of UIDs.
    return index < 0 ? [] : (this.#decode(index, MERGED_TAG) as string[]);
  }

  /** The value of one field as JSON; undefined when the node has none that the type can have. */
  value(field: Field): unknown {
    const index = this.fields.find(field.number);
    return index < 0 ? undefined : this.#decode(index, field.tag);
  }

  /** The value of a field by its name in `toObject`. `type` is the type of the record. */
  valueByName(type: NodeType, name: string): unknown {
    switch (name) {
      case 'UID':
        return this.uid;
      case 'Type':
        return type.name;
      case 'Timestamp':
        return formatTime(this.timestampMs);
      case 'Id':
        return this.key;
      default: {
        const field = type.byName.get(name);
        return field === undefined ? undefined : this.value(field);
      }
    }
  }

  /**
   * The node as it leaves the process (open-shapes, section 2). `type` is the type of the record.
   */
  toObject(type: NodeType): NodeObject {
    const { fields } = this;
    const node: Record<string, unknown> & { UID: string; Type: string; Timestamp: string } = {
      UID: this.uid,
      Type: type.name,
      Timestamp: formatTime(this.timestampMs),
    };
    for (let i = 0; i < fields.count; i++) {
      const number = fields.number(i);
      if (number === KEY_FIELD) {
        const key = this.#decode(i, TAG.String);
        node['Id'] = key;
        if (type.key !== undefined) node[type.key] = key;
      } else if (number !== ALIASES_FIELD) {
        const field = type.byNumber.get(number);
        const value = field && this.#decode(i, field.tag);
        if (field !== undefined && value !== undefined) node[field.name] = value;
      }
    }
    return node;
  }

  #decode(index: number, declaredTag: number): unknown {
    const { fields } = this;
    const tag = fields.tag(index);
    return decodeField(this.#bytes, fields.start(index), fields.end(index), tag, declaredTag);
  }
}

/** Writes a whole record. The result is a view of `out`, valid until the next one. */
export function writeNodeRecord(
  out: ByteWriter,
  head: {
    readonly typeId: number;
    readonly version: number;
    readonly timestampMs: number;
    readonly uid: Uint8Array;
  },
  fields: FieldTableWriter,
): Buffer {
  out.length = 0;
  out.reserve(FIELDS_AT);
  const { bytes } = out;
  bytes[0] = fields.flags;
  bytes[TYPE_AT] = head.typeId >>> 8;
  bytes[TYPE_AT + 1] = head.typeId;
  bytes.writeUInt32BE(head.version, VERSION_AT);
  bytes.writeDoubleBE(head.timestampMs, TIMESTAMP_AT);
  for (let i = 0; i < UID_BYTES; i++) bytes[UID_AT + i] = head.uid[i]!;
  out.length = FIELDS_AT;
  fields.writeTo(out);
  return out.view();
}

/** Whether two records of one node are equal; their versions may differ. */
export function isSameNode(a: Buffer, b: Buffer): boolean {
  return (
    a.length === b.length &&
    a.compare(b, 0, VERSION_AT, 0, VERSION_AT) === 0 &&
    a.compare(b, TIMESTAMP_AT, b.length, TIMESTAMP_AT, a.length) === 0
  );
}

/** Sets the version of a record that was just written. */
export function setVersion(record: Buffer, version: number): void {
  record.writeUInt32BE(version, VERSION_AT);
}

/**
 * A view of a record, given as bytes or in base64, in memory of its own: it stays valid while the
 * state is read.
 */
export function openRecord(bytes: Uint8Array | string): NodeRecord {
  const record = new NodeRecord();
  record.open(typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : Buffer.from(bytes));
  return record;
}
