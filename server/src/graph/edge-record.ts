import type { ByteWriter } from './bytes.ts';
import { asBuffer } from './bytes.ts';
import { decodeField } from './field-decoder.ts';
import { FieldTable, WIDE_ENDS } from './field-table.ts';
import type { FieldTableWriter } from './field-table.ts';
import type { EdgeType } from './schema-registry.ts';

/**
 * An edge as it is stored, under its ends and its type:
 *
 *   u8 flags, f64 timestamp (ms), and when it has any, fields (see `field-table.ts`)
 */
const TIMESTAMP_AT = 1;
const FIELDS_AT = 9;

/**
 * A view of one stored edge. It is opened on one record after another, and valid as long as the
 * bytes are.
 */
export class EdgeRecord {
  readonly fields = new FieldTable();
  #bytes: Buffer = Buffer.alloc(0);

  open(bytes: Uint8Array): void {
    this.#bytes = asBuffer(bytes);
    if (this.#bytes.length === FIELDS_AT) this.fields.openEmpty();
    else this.fields.open(this.#bytes, FIELDS_AT, (this.#bytes[0]! & WIDE_ENDS) !== 0);
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  get timestampMs(): number {
    return this.#bytes.readDoubleBE(TIMESTAMP_AT);
  }

  /** Sets the edge's own fields on an object. */
  assignFields(type: EdgeType, target: Record<string, unknown>): void {
    const { fields } = this;
    for (let i = 0; i < fields.count; i++) {
      const field = type.byNumber.get(fields.number(i));
      if (field === undefined) continue;
      const [start, end] = [fields.start(i), fields.end(i)];
      const value = decodeField(this.#bytes, start, end, fields.tag(i), field.tag);
      if (value !== undefined) target[field.name] = value;
    }
  }
}

/** Writes a whole record; the result is a view of `out`, valid until the next. */
export function writeEdgeRecord(
  out: ByteWriter,
  timestampMs: number,
  fields: FieldTableWriter | undefined,
): Buffer {
  out.length = 0;
  out.u8(fields === undefined ? 0 : fields.flags);
  out.f64(timestampMs);
  if (fields !== undefined && fields.count > 0) fields.writeTo(out);
  return out.view();
}
