import { readId } from '#store/bytes.ts';
import type { DB } from '#store/databases.ts';
import { TAG, scalarOf } from '../field-types.ts';
import { IdList, IDS_WITHIN_HEAP } from '../id-list.ts';
import { NUMBER_EQUAL } from '../indexes/index-key.ts';
import { ID_BYTES, readTime, TIMED_ID_BYTES } from '../keys.ts';
import { compareTyped, isNumeric } from './comparison.ts';
import type { IdPieces, QueryContext } from './query-context.ts';
import { PIECE_IDS_MAX, PIECE_IDS_MIN } from './query-context.ts';

/** Keys of `types` or `indexes`, which end with the timestamp and the id of a node. */
export interface KeySpan {
  readonly db: typeof DB.types | typeof DB.indexes;
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

/**
 * The nodes of one range whose keys differ in timestamp and id only: newest first. Not counted
 * where each is read, and counted, afterwards.
 */
export function* newestFirst(
  context: QueryContext,
  span: KeySpan,
  isCounted = true,
): IdPieces & Generator<IdList> {
  const { db, start } = span;
  const piece = new IdList(IDS_WITHIN_HEAP);
  let end = span.end;
  for (let wanted = PIECE_IDS_MIN; ; wanted = Math.min(wanted * 4, PIECE_IDS_MAX)) {
    context.checkpoint();
    piece.length = 0;
    let last: Uint8Array | undefined;
    context.reader.visitKeys(db, { start, end, reverse: true }, (key) => {
      piece.push(idOfKey(key));
      if (piece.length < wanted) return true;
      last = new Uint8Array(key);
      return false;
    });
    if (isCounted) context.rowsRead += piece.length;
    keepVisible(context, piece);
    if (piece.length > 0) yield piece;
    if (last === undefined) return;
    end = last;
  }
}

/** Leaves out what the reader may not see. */
export function keepVisible(context: QueryContext, piece: IdList): void {
  if (context.visibility === undefined) return;
  let kept = 0;
  for (let i = 0; i < piece.length; i++) {
    if (context.sees(piece.at(i))) piece.values[kept++] = piece.at(i);
  }
  piece.length = kept;
}

/** The nodes of several ranges, each once, in the order of their type. */
export function* inTypeOrder(
  context: QueryContext,
  spans: readonly KeySpan[],
  direction: 'asc' | 'desc' = 'desc',
): IdPieces & Generator<IdList> {
  const times = new Map<number, number>();
  for (const span of spans) {
    context.checkpoint();
    context.reader.visitKeys(span.db, span, (key) => {
      times.set(idOfKey(key), readTime(key, key.length - TIMED_ID_BYTES));
    });
  }
  context.rowsRead += times.size;
  const sign = direction === 'desc' ? 1 : -1;
  const rows = [...times].toSorted(([a, timeA], [b, timeB]) => sign * (timeB - timeA) || b - a);
  const piece = IdList.of(rows.map(([id]) => id));
  keepVisible(context, piece);
  if (piece.length > 0) yield piece;
}

/** How the keys of a range are told apart: by the bytes before so many at their ends. */
interface Grouping {
  readonly suffixBytes: number;
  /** The field whose values the groups are, and its stored form; undefined for timestamps. */
  readonly field: string | undefined;
  readonly tag: number;
}

/** Groups of one value each. */
export function byValue(field: string, tag: number): Grouping {
  return { suffixBytes: TIMED_ID_BYTES, field, tag };
}

/** Groups of one timestamp each. */
export const BY_TIME: Grouping = { suffixBytes: ID_BYTES, field: undefined, tag: TAG.Time };

/**
 * The nodes of a range by their values, up or down; those with equal values newest first. Values
 * that their keys do not tell apart are read from the nodes.
 */
export function* inOrder(
  context: QueryContext,
  { db, start, end }: KeySpan,
  direction: 'asc' | 'desc',
  grouping: Grouping,
): IdPieces & Generator<IdList> {
  const isDown = direction === 'desc';
  const bounds = { start, end };
  const groups = new Groups(grouping);
  for (let wanted = PIECE_IDS_MIN; ; wanted = Math.min(wanted * 4, PIECE_IDS_MAX)) {
    context.checkpoint();
    groups.clear();
    context.reader.visitKeys(db, { ...bounds, reverse: isDown }, (key) => {
      groups.add(key);
      return groups.length < wanted;
    });
    context.rowsRead += groups.length;
    const isLast = groups.length < wanted;
    const whole = isLast ? groups.count : groups.count - 1;
    if (whole === 0 && !isLast) {
      // One group is greater than all that was read.
      const span = { db, start: groups.value, end: firstAfter(groups.value) };
      if (groups.isCut(0))
        yield* sortedByField(context, newestFirst(context, span), grouping, isDown);
      else yield* newestFirst(context, span);
      if (isDown) bounds.end = span.start;
      else bounds.start = span.end;
      continue;
    }
    for (let i = 0; i < whole; i++) {
      const group = IdList.of(groups.idsOf(i, !isDown));
      keepVisible(context, group);
      if (group.length === 0) continue;
      if (groups.isCut(i)) yield* sortedByField(context, [group], grouping, isDown);
      else yield group;
    }
    if (isLast) return;
    // The last group again, from its beginning.
    if (isDown) bounds.end = firstAfter(groups.value);
    else bounds.start = groups.value;
  }
}

/** Keys that were read one after the other, by groups. */
class Groups {
  readonly #grouping: Grouping;
  readonly #ids: number[] = [];
  readonly #starts: number[] = [];
  readonly #cut: boolean[] = [];
  #value: Uint8Array = new Uint8Array(0);

  constructor(grouping: Grouping) {
    this.#grouping = grouping;
  }

  clear(): void {
    this.#ids.length = 0;
    this.#starts.length = 0;
    this.#cut.length = 0;
  }

  get length(): number {
    return this.#ids.length;
  }

  get count(): number {
    return this.#starts.length;
  }

  /** What the keys of the last group begin with. */
  get value(): Uint8Array {
    return this.#value;
  }

  add(key: Uint8Array): void {
    const bytes = key.length - this.#grouping.suffixBytes;
    if (this.#starts.length === 0 || !beginsWith(key, this.#value, bytes)) {
      this.#value = new Uint8Array(key.subarray(0, bytes));
      this.#starts.push(this.#ids.length);
      this.#cut.push(tellsNotAll(this.#value, this.#grouping.tag));
    }
    this.#ids.push(idOfKey(key));
  }

  isCut(group: number): boolean {
    return this.#cut[group] === true;
  }

  /** Newest first when they are turned round, or were read backwards. */
  idsOf(group: number, isTurned: boolean): number[] {
    const ids = this.#ids.slice(this.#starts[group], this.#starts[group + 1]);
    return isTurned ? ids.toReversed() : ids;
  }
}

function* sortedByField(
  context: QueryContext,
  source: IdPieces,
  { field = '' }: Grouping,
  isDown: boolean,
): IdPieces & Generator<IdList> {
  const rows: { id: number; scalar: number; value: unknown }[] = [];
  for (const piece of source) {
    for (let i = 0; i < piece.length; i++) {
      const id = piece.at(i);
      const value = context.read(id, field);
      rows.push({ id, scalar: scalarOf(context.tag), value });
    }
  }
  context.rowsRead += rows.length;
  const sign = isDown ? -1 : 1;
  rows.sort((a, b) => sign * compareTyped(a, b));
  if (rows.length > 0) yield IdList.of(rows.map(({ id }) => id));
}

/** Whether the value at the end of these bytes stands for others too (see `index-key.ts`). */
export function tellsNotAll(value: Uint8Array, tag: number): boolean {
  const last = value.at(-1);
  const scalar = scalarOf(tag);
  if (isNumeric(scalar)) return last !== NUMBER_EQUAL;
  switch (scalar) {
    case TAG.String:
    case TAG.Json:
    case TAG.Bytes:
      return last !== 0;
    case TAG.GeoPoint:
      return true;
    default:
      return false;
  }
}

/** The first key above all that begin with these bytes, which are not all 255. */
export function firstAfter(bytes: Uint8Array): Uint8Array {
  let at = bytes.length - 1;
  while (at > 0 && bytes[at] === 0xff) at--;
  const after = new Uint8Array(at + 1);
  for (let i = 0; i <= at; i++) after[i] = bytes[i]!;
  after[at]!++;
  return after;
}

export function idOfKey(key: Uint8Array): number {
  return readId(key, key.length - ID_BYTES);
}

function beginsWith(key: Uint8Array, value: Uint8Array, bytes: number): boolean {
  if (value.length !== bytes) return false;
  for (let i = bytes - 1; i >= 0; i--) if (key[i] !== value[i]) return false;
  return true;
}
