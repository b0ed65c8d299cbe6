import { DB } from '#store/databases.ts';
import { ByteWriter } from '../bytes.ts';
import { encodeField } from '../field-encoder.ts';
import { isListTag, scalarOf } from '../field-types.ts';
import { IndexKey } from '../indexes/index-key.ts';
import { TIMED_ID_BYTES, writeType } from '../keys.ts';
import type { NodeType } from '../schema-registry.ts';
import type { TypedValue } from './comparison.ts';
import { firstAfter, idOfKey, type KeySpan, tellsNotAll } from './key-ranges.ts';
import type { QueryContext } from './query-context.ts';

export interface Group extends TypedValue {
  count: number;
}

/** A longer list is not gone through for each of its items: reading all nodes is faster then. */
const ITEMS_MAX = 32;

/**
 * How many nodes of a type have each value of a field, counted in an index of the field alone.
 * Undefined where there is none, where it cannot tell all values apart, and for long lists.
 */
export function groupsOf(
  context: QueryContext,
  type: NodeType,
  field: string,
): Group[] | undefined {
  const name = field === 'Id' ? (type.key ?? field) : field;
  const index = type.indexes.find(
    ({ isReady, fields }) => isReady && fields.length === 1 && fields[0]?.name === name,
  );
  const [indexed] = index?.fields ?? [];
  if (index === undefined || indexed === undefined || name === 'Timestamp') return undefined;
  if (!context.readsOfType(type, name)) return undefined;
  if (index.isHashed && isListTag(indexed.tag)) return undefined;
  const start = new Uint8Array(2);
  writeType(start, 0, index.number);
  const all: KeySpan = { db: DB.indexes, start, end: firstAfter(start) };
  const groups: Group[] = [];
  let from = all.start;
  for (;;) {
    context.checkpoint();
    const value = firstValue(context, { ...all, start: from });
    if (value === undefined) return groups;
    if (!index.isHashed && tellsNotAll(value, indexed.tag)) return undefined;
    const span = { ...all, start: value, end: firstAfter(value) };
    from = span.end;
    const { newest, count } = countOf(context, type, span);
    if (newest === undefined) continue;
    // It is shown as the newest node has it: 1.5 and 1.50 are one Decimal.
    const shown = context.read(newest, name);
    const scalar = scalarOf(indexed.tag);
    if (!isListTag(indexed.tag)) groups.push({ value: shown, scalar, count });
    else if (Array.isArray(shown) && shown.length > ITEMS_MAX) return undefined;
    else groups.push({ value: itemIn(shown, scalar, span), scalar, count });
  }
}

function firstValue({ reader }: QueryContext, span: KeySpan): Uint8Array | undefined {
  let value: Uint8Array | undefined;
  reader.visitKeys(span.db, span, (key) => {
    value = new Uint8Array(key.subarray(0, key.length - TIMED_ID_BYTES));
    return false;
  });
  return value;
}

function countOf(
  context: QueryContext,
  type: NodeType,
  span: KeySpan,
): { readonly newest: number | undefined; readonly count: number } {
  const { reader } = context;
  const isCounted = context.seesAllOf(type);
  const ids: number[] = [];
  reader.visitKeys(span.db, { ...span, reverse: true }, (key) => {
    ids.push(idOfKey(key));
    return !isCounted;
  });
  context.rowsRead += ids.length;
  const seen = ids.filter((id) => context.sees(id));
  const count = isCounted ? reader.countKeys(span.db, span) : seen.length;
  return { newest: seen[0], count };
}

/** The item of a list that a group is of. */
function itemIn(value: unknown, scalar: number, { start }: KeySpan): unknown {
  const key = new IndexKey();
  const bytes = new ByteWriter();
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  return items.find((item) => {
    bytes.length = 0;
    encodeField(bytes, scalar, item);
    key.begin(0).stored(bytes.bytes, 0, bytes.length, scalar);
    return Buffer.compare(key.bytes.subarray(INDEX_BYTES), start.subarray(INDEX_BYTES)) === 0;
  });
}

const INDEX_BYTES = 2;
