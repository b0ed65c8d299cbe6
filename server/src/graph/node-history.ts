import {
  NODE_HISTORY_CHANGE_BYTES_MAX,
  NODE_HISTORY_CHANGES_MAX,
  NODE_HISTORY_VALUE_BYTES_MAX,
} from '#base/limits.ts';
import { formatUid, UID_BYTES } from '#base/uid.ts';
import { DB } from '#store/databases.ts';
import type { KeyValueReader } from '#store/key-value.ts';
import { asBuffer, type ByteWriter } from './bytes.ts';
import { decodeField } from './field-decoder.ts';
import { TAG } from './field-types.ts';
import { FieldTable } from './field-table.ts';
import { KeyEncoder, versionOfKey } from './keys.ts';
import { isSystemName } from './names.ts';
import type { NodeRecord } from './node-record.ts';
import type { FieldBefore, NodeChange, NodeHistory, PastValue } from './reader.ts';
import { type Field, FIRST_FIELD, KEY_FIELD, MERGED_FIELD } from './schema-fields.ts';
import type { NodeType } from './schema-registry.ts';
import { formatTime } from './time.ts';
import type { Transactor } from './transactor.ts';

/**
 * The history of a node: one entry for each change, stored under the version that the change made.
 * So the entries of a node have no gap, and the newest has the version of the node itself. Nodes of
 * system types have no history. A new node has no entry: its first version is what remains when all
 * changes are undone.
 *
 * Entries are operations of the commit that makes the change. So they are in the log, and every
 * follower of the log has the same entries.
 */
export function hasHistory(type: NodeType): boolean {
  return !isSystemName(type.name);
}

/**
 * Writes the entry of a change. Call this before the changed record is put. `stored` is the node
 * before the change; it is not valid after this call.
 */
export function putChange(
  t: Transactor,
  id: number,
  stored: NodeRecord,
  changed: { readonly record: Buffer; readonly version: number },
): void {
  const { batch, state } = t;
  const { keys, view } = state;
  const { version } = changed;
  const { nowMs: timeMs, user } = t.options;
  state.changed.open(changed.record);
  const head = { sequence: batch.nextSequence, timeMs, user };
  const entry = writeHistoryEntry(state.entry, head, stored, state.changed);
  batch.put(DB.history, keys.version(id, version), entry);
  // More than one entry is deleted only when an earlier version of the server kept more of them.
  for (let gone = version - NODE_HISTORY_CHANGES_MAX; gone > 1; gone--) {
    if (!view.has(DB.history, keys.version(id, gone))) break;
    batch.delete(DB.history, keys.version(id, gone));
  }
}

/**
 * Writes an entry with all values of a node that is about to be deleted, for those who follow the
 * log. `deleteHistory` deletes it in the same commit, so that no state ever has it.
 */
export function putLastEntry(t: Transactor, id: number): void {
  const { batch, state } = t;
  const stored = t.record(id);
  const { nowMs: timeMs, user } = t.options;
  const head = { sequence: batch.nextSequence, timeMs, user };
  const entry = writeHistoryEntry(state.entry, head, stored, NOTHING_LEFT);
  batch.put(DB.history, state.keys.version(id, stored.version + 1), entry);
}

/**
 * Deletes the history of a node that is deleted, so that none of its values can be found
 * afterwards. `version` is the last one of the node.
 */
export function deleteHistory(t: Transactor, id: number, version: number): void {
  const { batch, state } = t;
  batch.delete(DB.history, state.keys.version(id, version + 1));
  if (version === 1) return;
  const versions: number[] = [];
  state.view.scan(DB.history, state.keys.versions(id), (key) => {
    versions.push(versionOfKey(key));
  });
  for (const each of versions) batch.delete(DB.history, state.keys.version(id, each));
}

/** Reads the history. The record is used before the state is read, since that makes it invalid. */
export function readHistory(
  state: KeyValueReader,
  id: number,
  record: NodeRecord,
  type: NodeType,
): NodeHistory | undefined {
  if (!hasHistory(type)) return undefined;
  const { version } = record;
  const present = presentValues(record, type);
  const changes: NodeChange[] = [];
  const range = { ...new KeyEncoder().versions(id), reverse: true };
  state.scan(DB.history, range, (key, entry) => {
    const made = versionOfKey(key);
    if (made !== version - changes.length) return false;
    changes.push(readHistoryEntry(entry, made, type));
    return true;
  });
  return { version, present, changes };
}

/**
 * An entry of the database `history`: what one change of a node keeps of the version before:
 *
 *   u8 flags, u48 sequence of the operation that puts the entry, f64 time of the commit (ms),
 *   16 bytes UID of the user who made it (when a flag says so),
 *   f64 timestamp of the node before (when a flag says so),
 *   for each field that changed, in the order of the numbers:
 *     u16 number, u8 what there was; then, unless it was nothing,
 *     u8 tag, u32 bytes of the value, and the value unless it was too large
 */
const BY_USER = 1;
const TIMESTAMP_CHANGED = 2;

const NOTHING = 0;
const VALUE = 1;
const TOO_LARGE = 2;

const FLAGS_BYTES = 1;
const SEQUENCE_BYTES = 6;
const TIME_BYTES = 8;
const FIELD_BYTES = 3;
const VALUE_HEADER_BYTES = 5;

/** The commit that changes a node. */
interface ChangeHead {
  readonly sequence: number;
  readonly timeMs: number;
  /** The UID of the user, when it is known. */
  readonly user: Uint8Array | undefined;
}

/** What is after a node was deleted: its timestamp and all its fields are other ones before. */
const NOTHING_LEFT = { timestampMs: NaN, fields: new FieldTable() } as const;

/** Writes a whole entry. The result is a view of `out`, valid until the next one. */
function writeHistoryEntry(
  out: ByteWriter,
  { sequence, timeMs, user }: ChangeHead,
  before: NodeRecord,
  after: Pick<NodeRecord, 'timestampMs' | 'fields'>,
): Buffer {
  const isMoved = before.timestampMs !== after.timestampMs;
  out.length = 0;
  out.u8((user === undefined ? 0 : BY_USER) | (isMoved ? TIMESTAMP_CHANGED : 0));
  out.reserve(SEQUENCE_BYTES);
  out.length = out.bytes.writeUIntBE(sequence, out.length, SEQUENCE_BYTES);
  out.f64(timeMs);
  if (user !== undefined) out.copy(user, 0, UID_BYTES);
  if (isMoved) out.f64(before.timestampMs);
  writeFields(out, before.fields, after.fields);
  return out.view();
}

function writeFields(out: ByteWriter, before: FieldTable, after: FieldTable): void {
  let left = NODE_HISTORY_CHANGE_BYTES_MAX;
  let b = 0;
  let a = 0;
  while (b < before.count || a < after.count) {
    const was = b < before.count ? before.number(b) : Infinity;
    const is = a < after.count ? after.number(a) : Infinity;
    const number = Math.min(was, is);
    const isSame = was === is && isSameValue(before, b, after, a);
    if (!isSame && isShown(number)) {
      if (was === number) left -= writeValue(out, before, b, left);
      else writeField(out, number, NOTHING);
    }
    if (was === number) b++;
    if (is === number) a++;
  }
}

/** Aliases, and UIDs of merged nodes, are no fields that a node shows. */
function isShown(number: number): boolean {
  return number === KEY_FIELD || (number >= FIRST_FIELD && number !== MERGED_FIELD);
}

/** Writes a value if it is small enough. Returns how many of the `left` bytes it took. */
function writeValue(out: ByteWriter, table: FieldTable, index: number, left: number): number {
  const start = table.start(index);
  const end = table.end(index);
  const bytes = end - start;
  const isKept = bytes <= Math.min(NODE_HISTORY_VALUE_BYTES_MAX, left);
  writeField(out, table.number(index), isKept ? VALUE : TOO_LARGE);
  out.u8(table.tag(index));
  out.i32(bytes);
  if (!isKept) return 0;
  out.copy(table.bytes, start, end);
  return bytes;
}

function writeField(out: ByteWriter, number: number, what: number): void {
  out.u8(number >>> 8);
  out.u8(number & 0xff);
  out.u8(what);
}

function isSameValue(before: FieldTable, b: number, after: FieldTable, a: number): boolean {
  const { bytes } = before;
  return (
    before.tag(b) === after.tag(a) &&
    bytes.compare(after.bytes, after.start(a), after.end(a), before.start(b), before.end(b)) === 0
  );
}

/** What a merge has done to a node, which a split undoes: the node before it and after it. */
export interface UndoneMerge {
  readonly before: NodeRecord;
  readonly after: NodeRecord;
  /** Whether a field, by its number, had a value because of the merge though it got it later. */
  readonly isLater: (field: number, value: unknown) => boolean;
}

/**
 * An entry of a node as it were had the merge given the node nothing: whoever sees the node after
 * the split need not have seen the one that was merged into it. `part` is the change that the entry
 * is of. The result is a view of `out`, valid until the next one.
 */
export function entryWithoutMerge(
  out: ByteWriter,
  entry: Uint8Array,
  { before, after, isLater }: UndoneMerge,
  part: 'merge' | 'between' | 'split',
): Buffer {
  const bytes = asBuffer(entry);
  const flags = bytes[0]!;
  let at = FLAGS_BYTES + SEQUENCE_BYTES + TIME_BYTES + ((flags & BY_USER) === 0 ? 0 : UID_BYTES);
  out.length = 0;
  out.copy(bytes, 0, at);
  if ((flags & TIMESTAMP_CHANGED) !== 0) {
    const told = bytes.readDoubleBE(at);
    at += TIME_BYTES;
    const isUndone =
      before.timestampMs !== after.timestampMs && (part === 'merge' || told === after.timestampMs);
    if (!isUndone) out.f64(told);
    else if (part === 'between') out.f64(before.timestampMs);
    else out.bytes[0] = flags & ~TIMESTAMP_CHANGED;
  }
  while (at < bytes.length) {
    const number = bytes.readUInt16BE(at);
    const end = endOfField(bytes, at);
    const [was, is] = [before.fields.find(number), after.fields.find(number)];
    const isOfMerge =
      was < 0 || is < 0 ? was !== is : !isSameValue(before.fields, was, after.fields, is);
    const isGiven = part === 'merge' ? isOfMerge : isOfMerge && tells(bytes, at, after.fields, is);
    if (!isGiven && !(part !== 'merge' && isLater(number, toldValue(bytes, at, end)))) {
      out.copy(bytes, at, end);
    } else if (part === 'between') {
      if (was < 0) writeField(out, number, NOTHING);
      else writeValue(out, before.fields, was, NODE_HISTORY_CHANGE_BYTES_MAX - out.length);
    }
    at = end;
  }
  return out.view();
}

/** Where a field of an entry ends that begins at `at`. */
function endOfField(bytes: Buffer, at: number): number {
  const what = bytes[at + 2]!;
  const start = at + FIELD_BYTES;
  if (what === NOTHING) return start;
  return start + VALUE_HEADER_BYTES + (what === VALUE ? bytes.readUInt32BE(start + 1) : 0);
}

/** The value of a field of an entry; undefined for none, and for one that was too large. */
function toldValue(bytes: Buffer, at: number, end: number): unknown {
  const start = at + FIELD_BYTES + VALUE_HEADER_BYTES;
  const tag = bytes[at + FIELD_BYTES]!;
  return bytes[at + 2] === VALUE ? decodeField(bytes, start, end, tag, tag) : undefined;
}

/** Whether the field of an entry at `at` has the value of a table at `index`, or none as well. */
function tells(bytes: Buffer, at: number, table: FieldTable, index: number): boolean {
  const what = bytes[at + 2]!;
  if (what === NOTHING || index < 0) return what === NOTHING && index < 0;
  const [start, end] = [table.start(index), table.end(index)];
  const head = at + FIELD_BYTES;
  if (bytes[head] !== table.tag(index) || bytes.readUInt32BE(head + 1) !== end - start)
    return false;
  const value = head + VALUE_HEADER_BYTES;
  return what !== VALUE || bytes.compare(table.bytes, start, end, value, value + end - start) === 0;
}

/** `type` is the type of the node, in a schema that has all its fields. */
export function readHistoryEntry(entry: Uint8Array, version: number, type: NodeType): NodeChange {
  const bytes = asBuffer(entry);
  const flags = bytes[0]!;
  let at = FLAGS_BYTES;
  const sequence = bytes.readUIntBE(at, SEQUENCE_BYTES);
  at += SEQUENCE_BYTES;
  const timestamp = formatTime(bytes.readDoubleBE(at));
  at += TIME_BYTES;
  let user: string | null = null;
  if ((flags & BY_USER) !== 0) {
    user = formatUid(bytes.subarray(at, at + UID_BYTES));
    at += UID_BYTES;
  }
  const before: FieldBefore[] = [];
  if ((flags & TIMESTAMP_CHANGED) !== 0) {
    before.push({ field: 'Timestamp', value: { value: formatTime(bytes.readDoubleBE(at)) } });
    at += TIME_BYTES;
  }
  while (at < bytes.length) {
    const number = bytes.readUInt16BE(at);
    const field = fieldOf(type, number);
    const what = bytes[at + 2]!;
    at += FIELD_BYTES;
    let value: PastValue | undefined;
    if (what !== NOTHING) {
      const tag = bytes[at]!;
      const length = bytes.readUInt32BE(at + 1);
      at += VALUE_HEADER_BYTES;
      const end = what === VALUE ? at + length : at;
      value =
        what === VALUE ? pastValue(bytes, at, end, tag, field?.tag ?? tag) : { bytes: length };
      at = end;
    }
    if (field !== undefined) before.push({ field: field.name, value });
  }
  return { version, sequence, timestamp, user, before };
}

/** The key stands under the name that every node shows it by. */
function fieldOf(type: NodeType, number: number): Pick<Field, 'name' | 'tag'> | undefined {
  return number === KEY_FIELD ? KEY : type.byNumber.get(number);
}

const KEY = { name: 'Id', tag: TAG.String } as const;

/** The present values of a node, in the form of its history: without UID, type and key. */
function presentValues(record: NodeRecord, type: NodeType): Map<string, PastValue> {
  const { fields } = record;
  const values = new Map<string, PastValue>();
  values.set('Timestamp', { value: formatTime(record.timestampMs) });
  for (let i = 0; i < fields.count; i++) {
    const field = type.byNumber.get(fields.number(i));
    if (field === undefined) continue;
    const start = fields.start(i);
    const end = fields.end(i);
    const isLarge = end - start > NODE_HISTORY_VALUE_BYTES_MAX;
    const value = isLarge
      ? { bytes: end - start }
      : pastValue(fields.bytes, start, end, fields.tag(i), field.tag);
    if (value !== undefined) values.set(field.name, value);
  }
  return values;
}

/** Undefined for a value that the field cannot have by the type that it has now. */
function pastValue(...stored: Parameters<typeof decodeField>): PastValue | undefined {
  const value = decodeField(...stored);
  return value === undefined ? undefined : { value };
}
