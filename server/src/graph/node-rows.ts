import { DOWNLOAD_COLUMNS } from '@trellis/contract/shapes/node.ts';
import { UID_CHARACTERS, writeUid } from '#base/uid.ts';
import { ByteWriter } from './bytes.ts';
import { decodeField } from './field-decoder.ts';
import { TAG, widens } from './field-types.ts';
import type { NodeRecord } from './node-record.ts';
import { KEY_FIELD } from './schema-fields.ts';
import { type NodeType } from './schema-registry.ts';
import { isNumeric } from './query/comparison.ts';
import { COMMA, endCsvCell, endJsonText, QUOTE } from './row-cells.ts';
import { timeBytes } from './time.ts';

export interface RowForm {
  readonly form: 'csv' | 'jsonl';
  /** What stands before the UID in the link to a node. */
  readonly linkPrefix: string;
  /** The names of those after `DOWNLOAD_COLUMNS`; `Id` and the key's own name may be among them. */
  readonly fields: readonly string[];
}

/** Tells which fields of the node that is written may be read; without it all may. */
export type ReadsField = (field: string) => boolean;

/**
 * Nodes as lines of text, written from the bytes that are stored: no values are made of them, as
 * texts, which most fields are, are stored as they are written.
 */
export class NodeRows {
  #out = new ByteWriter(ROWS_BYTES * 2);
  readonly fields: readonly string[];
  readonly #isCsv: boolean;
  readonly #uid = Buffer.alloc(UID_CHARACTERS);
  readonly #beforeLinked: Buffer;
  readonly #beforeUid: Buffer;
  readonly #beforeTime: Buffer;
  /** In JSON, what stands before the value of each field. */
  readonly #beforeFields: readonly Buffer[];
  readonly #types = new Map<NodeType, TypeOfRows>();
  /** By the number of a field: its place in the record that is written, counted from 1. */
  #places = new Uint16Array(64);

  constructor({ form, linkPrefix, fields }: RowForm) {
    this.fields = fields;
    this.#isCsv = form === 'csv';
    if (form === 'csv') {
      const quote = /[",\r\n]/.test(linkPrefix) ? '"' : '';
      this.#beforeLinked = Buffer.from(`${quote}${linkPrefix.replaceAll('"', '""')}`);
      this.#beforeUid = Buffer.from(`${quote},`);
      this.#beforeTime = Buffer.from(',');
    } else {
      this.#beforeLinked = Buffer.from(`{"Link":${JSON.stringify(linkPrefix).slice(0, -1)}`);
      this.#beforeUid = Buffer.from('","UID":"');
      this.#beforeTime = Buffer.from(',"Timestamp":"');
    }
    if (form === 'csv') this.#out.utf8(`${[...DOWNLOAD_COLUMNS, ...fields].join(',')}\r\n`);
    this.#beforeFields = fields.map((name) => Buffer.from(`,${JSON.stringify(name)}:`));
  }

  get isEmpty(): boolean {
    return this.#out.length === 0;
  }

  get isFull(): boolean {
    return this.#out.length >= ROWS_BYTES;
  }

  /** The rows since the last call. A view, valid until the next row is written. */
  take(): Uint8Array {
    const { bytes, length } = this.#out;
    // A buffer that a large node has made is not kept.
    if (bytes.length > ROWS_BYTES * 4) this.#out = new ByteWriter(ROWS_BYTES * 2);
    else this.#out.length = 0;
    return bytes.subarray(0, length);
  }

  /** Adds the row of a node. `type` is the type of the record, as it is known now. */
  write(record: NodeRecord, type: NodeType, edgeCount: number, reads?: ReadsField): void {
    const out = this.#out;
    const uid = this.#uid;
    const { name, columns } = this.#typeOf(type);
    writeUid(record.uidBytes, uid);
    append(out, this.#beforeLinked);
    append(out, uid);
    append(out, this.#beforeUid);
    append(out, uid);
    append(out, name);
    out.ascii(String(edgeCount));
    append(out, this.#beforeTime);
    append(out, timeBytes(record.timestampMs));
    if (!this.#isCsv) out.u8(QUOTE);
    this.#writeFields(record, columns, reads);
    out.ascii(this.#isCsv ? '\r\n' : '}\n');
  }

  #writeFields(
    record: NodeRecord,
    columns: readonly Column[],
    reads: ReadsField | undefined,
  ): void {
    const places = this.#placesIn(record);
    for (let i = 0; i < columns.length; i++) {
      const { number, tag } = columns[i]!;
      const place = number < places.length ? places[number]! - 1 : -1;
      const isShown = place >= 0 && (reads === undefined || reads(this.fields[i]!));
      if (this.#isCsv) {
        this.#out.u8(COMMA);
        if (isShown) this.#writeCell(record, place, tag);
      } else if (isShown && hasValue(record, place, tag)) {
        append(this.#out, this.#beforeFields[i]!);
        this.#writeJson(record, place, tag);
      }
    }
    this.#forget(record);
  }

  #writeCell(record: NodeRecord, place: number, tag: number): void {
    const out = this.#out;
    const { bytes, fields } = record;
    const begin = out.length;
    const from = fields.start(place);
    const to = fields.end(place);
    const stored = fields.tag(place);
    if (stored !== tag) return this.#writeValue(decodeField(bytes, from, to, stored, tag), tag);
    switch (tag) {
      case TAG.String:
        out.copy(bytes, from, to);
        return endCsvCell(out, begin, true);
      case TAG.Decimal:
        return out.copy(bytes, from, to);
      case TAG.Int:
        return out.ascii(String(bytes.readInt32BE(from)));
      case TAG.Time:
        return append(out, timeBytes(bytes.readDoubleBE(from)));
      case TAG.Bool:
        return out.ascii(bytes[from] === 1 ? 'true' : 'false');
      default:
        return this.#writeValue(decodeField(bytes, from, to, tag, tag), tag);
    }
  }

  /** A value as a cell: lists and objects as JSON, null as an empty one. */
  #writeValue(value: unknown, tag: number): void {
    if (value === null || value === undefined) return;
    const out = this.#out;
    const begin = out.length;
    const isText = typeof value === 'string' && tag !== TAG.Json;
    out.utf8(isText ? value : JSON.stringify(value));
    endCsvCell(out, begin, typeof value !== 'number' && !isNumeric(tag));
  }

  #writeJson(record: NodeRecord, place: number, tag: number): void {
    const out = this.#out;
    const { bytes, fields } = record;
    const from = fields.start(place);
    const to = fields.end(place);
    const stored = fields.tag(place);
    if (stored !== tag) return out.utf8(JSON.stringify(decodeField(bytes, from, to, stored, tag)));
    switch (tag) {
      case TAG.String:
      case TAG.Decimal: {
        const begin = out.length;
        out.u8(QUOTE);
        out.copy(bytes, from, to);
        return endJsonText(out, begin);
      }
      case TAG.Json:
        return out.copy(bytes, from, to);
      case TAG.Int:
        return out.ascii(String(bytes.readInt32BE(from)));
      case TAG.Time:
        out.u8(QUOTE);
        append(out, timeBytes(bytes.readDoubleBE(from)));
        return out.u8(QUOTE);
      case TAG.Bool:
        return out.ascii(bytes[from] === 1 ? 'true' : 'false');
      default:
        return out.utf8(JSON.stringify(decodeField(bytes, from, to, tag, tag)));
    }
  }

  #placesIn({ fields }: NodeRecord): Uint16Array {
    const last = fields.count === 0 ? 0 : fields.number(fields.count - 1);
    if (last >= this.#places.length) this.#places = new Uint16Array(last * 2);
    for (let i = 0; i < fields.count; i++) this.#places[fields.number(i)] = i + 1;
    return this.#places;
  }

  #forget({ fields }: NodeRecord): void {
    for (let i = 0; i < fields.count; i++) this.#places[fields.number(i)] = 0;
  }

  #typeOf(type: NodeType): TypeOfRows {
    const known = this.#types.get(type);
    if (known !== undefined) return known;
    const columns = this.fields.map((name): Column =>
      name === 'Id' ? KEY_COLUMN : (type.byName.get(name) ?? NO_COLUMN),
    );
    const name = this.#isCsv ? `,${type.name},` : `","Type":"${type.name}","EdgeCount":`;
    const made = { name: Buffer.from(name), columns };
    this.#types.set(type, made);
    return made;
  }
}

interface Column {
  readonly number: number;
  readonly tag: number;
}

interface TypeOfRows {
  /** With what stands beside it in a row. */
  readonly name: Buffer;
  readonly columns: readonly Column[];
}

/** Rows are sent on when they have this length. */
const ROWS_BYTES = 128 * 1024;
const KEY_COLUMN: Column = { number: KEY_FIELD, tag: TAG.String };
/** A number that no record has. */
const NO_COLUMN: Column = { number: 0xffff, tag: TAG.String };

function append(out: ByteWriter, bytes: Uint8Array): void {
  out.copy(bytes, 0, bytes.length);
}

/** Whether a stored value is one for the type of its field: that may be another by now. */
function hasValue({ bytes, fields }: NodeRecord, place: number, tag: number): boolean {
  const stored = fields.tag(place);
  if (stored === tag || widens(stored, tag)) return true;
  return decodeField(bytes, fields.start(place), fields.end(place), stored, tag) !== undefined;
}
