import { asBuffer, ByteWriter } from '../bytes.ts';
import { decodeField } from '../field-decoder.ts';
import { encodeField } from '../field-encoder.ts';
import { FieldTableWriter } from '../field-table.ts';
import { widens } from '../field-types.ts';
import { NodeRecord, writeNodeRecord } from '../node-record.ts';
import { type IndexedField, TIMESTAMP_FIELD } from './field-index.ts';

/**
 * The record as it would be if its values had been written with the types that indexed fields have
 * now; the record itself where that makes no difference to an index. Values that a field cannot
 * have any more are left out. Nothing but these fields, the timestamp and the type is good in it.
 */
export function asIndexed(record: NodeRecord, fields: readonly IndexedField[]): NodeRecord {
  // Every write of an indexed node comes here.
  for (const { number, tag } of fields) {
    const place = number === TIMESTAMP_FIELD ? -1 : record.fields.find(number);
    if (place >= 0 && !widens(record.fields.tag(place), tag)) return converted(record, fields);
  }
  return record;
}

function converted(record: NodeRecord, fields: readonly IndexedField[]): NodeRecord {
  const { fields: stored, typeId, version, timestampMs, uidBytes } = record;
  const tags = new Map(fields.map(({ number, tag }) => [number, tag]));
  const table = new FieldTableWriter();
  table.clear();
  for (let i = 0; i < stored.count; i++) {
    const number = stored.number(i);
    const tag = tags.get(number);
    if (tag === undefined) continue;
    const bytes = asBuffer(record.bytes);
    const value = decodeField(bytes, stored.start(i), stored.end(i), stored.tag(i), tag);
    const length = table.values.length;
    if (value !== undefined && encodeField(table.values, tag, value) === undefined) {
      table.add(number, tag);
    } else {
      table.values.length = length;
    }
  }
  const head = { typeId, version, timestampMs, uid: uidBytes };
  const made = new NodeRecord();
  made.open(writeNodeRecord(new ByteWriter(), head, table));
  return made;
}
