import { DB } from '#store/databases.ts';
import { ByteWriter } from '../bytes.ts';
import { encodeField } from '../field-encoder.ts';
import { isListTag, scalarOf, TAG } from '../field-types.ts';
import {
  type FieldIndex,
  type IndexedField,
  isOfTimestamp,
  TIMESTAMP_FIELD,
} from '../indexes/field-index.ts';
import { IndexKey, isOrderedScalar } from '../indexes/index-key.ts';
import { ID_BYTES, writeId, writeTime, writeType } from '../keys.ts';
import type { NodeType } from '../schema-registry.ts';
import { isNumeric, normalizeOperand } from './comparison.ts';
import type { TimeSpan } from './time-span.ts';
import { firstAfter, type KeySpan } from './key-ranges.ts';
import type { Comparison } from './plan.ts';

/** A test of the nodes of one type that an index may answer. */
export interface Condition {
  readonly field: string;
  readonly compare: Comparison;
  readonly value: unknown;
}

/** The nodes that meet conditions, as ranges of keys. */
export interface IndexRanges {
  /** Undefined for the timestamps of the type, which need no index. */
  readonly index: FieldIndex | undefined;
  readonly spans: readonly KeySpan[];
  /** The conditions that say no more than the ranges; the others are to be tested. */
  readonly answered: ReadonlySet<Condition>;
  readonly answersTime: boolean;
  /** Whether it is one range whose keys differ in timestamp and id only. */
  readonly isInTypeOrder: boolean;
  /** Whether a node may be in it more than once. */
  readonly mayRepeat: boolean;
  /**
   * The last field of the index where each one before it has one value: the range is in its order.
   */
  readonly order: IndexedField | undefined;
  /** The nodes that have a value of `order`. */
  readonly ordered: KeySpan | undefined;
  /** Those that have none, where the index has them. */
  readonly unordered: KeySpan | undefined;
  /** Whether any condition is on a field. */
  readonly isNarrowed: boolean;
}

// Used again and again: ranges are made of them at once, and nothing can be interrupted.
const SCRATCH = new IndexKey();
const SCRATCH_WHOLE = new IndexKey({ isWhole: true });
const OPERAND = new ByteWriter();

/** How many operands of `in` become ranges; more are tested. */
const RANGES_MAX = 1_000;

/** All nodes of a type within a time. */
export function spanOfType(type: NodeType, time: TimeSpan): KeySpan {
  const prefix = new Uint8Array(2);
  writeType(prefix, 0, type.id);
  return withinTime({ db: DB.types, start: prefix, end: firstAfter(prefix) }, prefix, time);
}

/** The same as ranges. */
export function rangesOfType(type: NodeType, time: TimeSpan): IndexRanges {
  return {
    index: undefined,
    spans: [spanOfType(type, time)],
    answered: new Set(),
    answersTime: true,
    isInTypeOrder: true,
    mayRepeat: false,
    order: undefined,
    ordered: undefined,
    unordered: undefined,
    isNarrowed: false,
  };
}

/** What an index can answer of conditions on one type. */
export function rangesOf(
  index: FieldIndex,
  conditions: readonly Condition[],
  time: TimeSpan,
  secret: Uint8Array,
): IndexRanges | undefined {
  if (isOfTimestamp(index)) return undefined;
  return index.isHashed
    ? hashedRanges(index, conditions, time, secret)
    : new RangeMaker(index, conditions, time).make();
}

/** Only equal values have equal digests: it answers where each field has one, or one of several. */
function hashedRanges(
  index: FieldIndex,
  conditions: readonly Condition[],
  time: TimeSpan,
  secret: Uint8Array,
): IndexRanges | undefined {
  const whole = SCRATCH_WHOLE.begin(index.number);
  const answered = new Set<Condition>();
  const spans: KeySpan[] = [];
  for (const [i, field] of index.fields.entries()) {
    if (i > 0) whole.present();
    const isLast = i === index.fields.length - 1;
    const equal = conditions.find((one) => isEquality(one, field) && fits(field, one.value));
    const several = isLast ? conditions.find((one) => isOneOf(one, field)) : undefined;
    const chosen = equal ?? several;
    if (chosen === undefined) return undefined;
    answered.add(chosen);
    const { length } = whole;
    const values: readonly unknown[] = equal === undefined ? Object(several?.value) : [equal.value];
    for (const value of values) {
      whole.rewind(length, true);
      writeOperand(whole, field, value);
      if (!isLast) continue;
      const start = digestKey(index.number, whole.bytes, secret);
      spans.push(withinTime({ db: DB.indexes, start, end: firstAfter(start) }, start, time));
    }
  }
  return {
    index,
    spans,
    answered,
    answersTime: true,
    isInTypeOrder: spans.length === 1,
    // Of a list, and of operands that are equal to each other.
    mayRepeat: spans.length > 1,
    order: undefined,
    ordered: undefined,
    unordered: undefined,
    isNarrowed: true,
  };
}

/**
 * The nodes that have one value of the field of an index; undefined where the keys do not tell all
 * of the value, or it does not fit the field.
 */
export function spanOfValue({ number, fields }: FieldIndex, value: unknown): KeySpan | undefined {
  const [field] = fields;
  if (field === undefined || !fits(field, value)) return undefined;
  const key = SCRATCH.begin(number);
  writeOperand(key, field, value);
  if (!key.isExact) return undefined;
  const start = key.copy();
  return { db: DB.indexes, start, end: firstAfter(start) };
}

function digestKey(index: number, values: Uint8Array, secret: Uint8Array): Uint8Array {
  const key = SCRATCH.begin(index);
  key.digest(values, secret);
  return key.copy();
}

/** Reads the conditions along the fields of one index. */
class RangeMaker {
  readonly #index: FieldIndex;
  readonly #conditions: readonly Condition[];
  readonly #time: TimeSpan;
  readonly #key = SCRATCH;
  readonly #answered = new Set<Condition>();

  constructor(index: FieldIndex, conditions: readonly Condition[], time: TimeSpan) {
    this.#index = index;
    this.#conditions = conditions;
    this.#time = time;
  }

  make(): IndexRanges {
    const { fields, number } = this.#index;
    this.#key.begin(number);
    for (const [i, field] of fields.entries()) {
      const equal = this.#conditions.find(
        (one) => isEquality(one, field) && fits(field, one.value),
      );
      if (equal === undefined) return this.#ending(field, i);
      if (i > 0) this.#key.present();
      const wasExact = this.#key.isExact;
      this.#key.isExact = true;
      writeOperand(this.#key, field, equal.value);
      if (this.#key.isExact) this.#answered.add(equal);
      this.#key.isExact &&= wasExact;
    }
    const start = this.#key.copy();
    return this.#ranges({
      spans: [withinTime({ db: DB.indexes, start, end: firstAfter(start) }, start, this.#time)],
      answersTime: true,
      isInTypeOrder: true,
      isNarrowed: true,
    });
  }

  #ranges(ranges: Pick<IndexRanges, 'spans' | 'isNarrowed'> & Partial<IndexRanges>): IndexRanges {
    return {
      index: this.#index,
      answered: this.#answered,
      answersTime: false,
      isInTypeOrder: false,
      mayRepeat: false,
      order: undefined,
      ordered: undefined,
      unordered: undefined,
      ...ranges,
    };
  }

  /** At the first field that has not one value: a range of it, several values, or all of them. */
  #ending(field: IndexedField, place: number): IndexRanges {
    const key = this.#key;
    const base = key.copy();
    const isList = isListTag(field.tag);
    const isLast = place === this.#index.fields.length - 1;
    if (place > 0) key.present();
    const values = this.#conditions.find((one) => isOneOf(one, field));
    if (values !== undefined) {
      return this.#ranges({
        spans: this.#spansOfValues(field, values, isLast),
        answersTime: isLast,
        mayRepeat: isList,
        isNarrowed: true,
      });
    }
    const all = { start: key.copy(), end: firstAfter(place > 0 ? key.bytes : base) };
    const { start, end, isNarrowed } = this.#bounded(field, all);
    const isOrder = isLast && !isList && isOrderedScalar(field.tag);
    const absent = (): KeySpan => {
      key.begin(this.#index.number);
      const from = new Uint8Array(base.length + 1);
      from.set(base);
      from[base.length] = 0xff;
      return { db: DB.indexes, start: from, end: firstAfter(base) };
    };
    const ordered = { db: DB.indexes, start, end };
    const hasAbsent = place > 0 && !isNarrowed;
    return this.#ranges({
      spans: [hasAbsent ? { ...ordered, start: base, end: firstAfter(base) } : ordered],
      mayRepeat: isList,
      isNarrowed: isNarrowed || place > 0,
      ...(isOrder ? { order: field, ordered } : {}),
      ...(isOrder && hasAbsent ? { unordered: absent() } : {}),
    });
  }

  #spansOfValues(field: IndexedField, condition: Condition, isLast: boolean): KeySpan[] {
    const key = this.#key;
    const { length } = key;
    const spans = new Map<string, KeySpan>();
    let isExact = true;
    for (const value of condition.value as readonly unknown[]) {
      key.rewind(length, true);
      writeOperand(key, field, value);
      isExact &&= key.isExact;
      const start = key.copy();
      const span = { db: DB.indexes, start, end: firstAfter(start) };
      const name = Buffer.from(start).toString('latin1');
      spans.set(name, isLast ? withinTime(span, start, this.#time) : span);
    }
    if (isExact) this.#answered.add(condition);
    return [...spans.values()];
  }

  /** The part of a field's values that the conditions leave. */
  #bounded(
    field: IndexedField,
    all: { readonly start: Uint8Array; readonly end: Uint8Array },
  ): { start: Uint8Array; end: Uint8Array; isNarrowed: boolean } {
    let { start, end } = all;
    let isNarrowed = false;
    const isList = isListTag(field.tag);
    for (const condition of this.#conditions) {
      const bounds = this.#boundsOf(field, condition);
      if (bounds === undefined) continue;
      const { from = all.start, to = all.end, isExact } = bounds;
      if (Buffer.compare(from, start) > 0) start = from;
      if (Buffer.compare(to, end) < 0) end = to;
      if (isExact) this.#answered.add(condition);
      isNarrowed = true;
      // Of a list, one item may meet the one condition and another item the next.
      if (isList) break;
    }
    if (Buffer.compare(start, end) > 0) end = start;
    return { start, end, isNarrowed };
  }

  #boundsOf(
    field: IndexedField,
    { field: name, compare, value }: Condition,
  ): { from?: Uint8Array; to?: Uint8Array; isExact: boolean } | undefined {
    if (name !== field.name || !isOrderedScalar(field.tag)) return undefined;
    const key = this.#key;
    const { length } = key;
    const begun = key.copy();
    key.rewind(length, true);
    try {
      if (compare === 'startsWith') {
        if (scalarOf(field.tag) !== TAG.String || typeof value !== 'string') return undefined;
        key.textStart(value);
        const from = key.copy();
        const { isExact } = key;
        return from.length === begun.length ? { isExact } : { from, to: firstAfter(from), isExact };
      }
      if (!BOUNDS.has(compare) || !fits(field, value)) return undefined;
      writeOperand(key, field, value);
      const { isExact } = key;
      const at = key.copy();
      const after = firstAfter(at);
      switch (compare) {
        case '>':
          return { from: isExact ? after : at, isExact };
        case '>=':
          return { from: at, isExact };
        case '<':
          return { to: isExact ? at : after, isExact };
        default:
          return { to: after, isExact };
      }
    } finally {
      key.rewind(length, true);
    }
  }
}

const BOUNDS: ReadonlySet<Comparison> = new Set(['<', '<=', '>', '>=']);

function isEquality({ field, compare }: Condition, { name, tag }: IndexedField): boolean {
  return field === name && (compare === '=' || (compare === 'contains' && isListTag(tag)));
}

function isOneOf({ field, compare, value }: Condition, indexed: IndexedField): boolean {
  return (
    field === indexed.name &&
    compare === 'in' &&
    Array.isArray(value) &&
    value.length <= RANGES_MAX &&
    value.every((item) => fits(indexed, item))
  );
}

/** Whether a value can be compared with those of a field. */
function fits({ tag }: IndexedField, operand: unknown): boolean {
  return normalizeOperand(scalarOf(tag), operand) !== undefined;
}

/** `operand` fits. */
function writeOperand(key: IndexKey, { tag, number }: IndexedField, operand: unknown): void {
  const scalar = scalarOf(tag);
  if (isNumeric(scalar)) {
    const normal = normalizeOperand(scalar, operand);
    if (typeof normal !== 'number') return key.number(String(normal));
    return key.number(scalar === TAG.Float ? Math.fround(normal) : normal);
  }
  const bytes = OPERAND;
  bytes.length = 0;
  encodeField(bytes, number === TIMESTAMP_FIELD ? TAG.Time : scalar, operand);
  key.stored(bytes.bytes, 0, bytes.length, scalar);
}

/** The part of a range within a time, where timestamps come next in its keys. */
function withinTime(span: KeySpan, prefix: Uint8Array, time: TimeSpan): KeySpan {
  const { fromMs, toMs, beforeId } = time;
  const at = (ms: number): Uint8Array => {
    const key = new Uint8Array(prefix.length + TIME_BYTES);
    key.set(prefix);
    writeTime(key, prefix.length, ms);
    return key;
  };
  if (fromMs > toMs) return { ...span, end: span.start };
  return {
    db: span.db,
    start: fromMs === -Infinity ? span.start : at(fromMs),
    end:
      toMs === Infinity
        ? span.end
        : beforeId === undefined
          ? firstAfter(at(toMs))
          : withId(at(toMs), beforeId),
  };
}

/** The key of a node, by what stands before its id. */
function withId(begin: Uint8Array, id: number): Uint8Array {
  const key = new Uint8Array(begin.length + ID_BYTES);
  key.set(begin);
  writeId(key, begin.length, id);
  return key;
}

const TIME_BYTES = 6;
