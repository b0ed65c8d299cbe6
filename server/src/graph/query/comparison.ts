import { must } from '#base/assert.ts';
import { ByteWriter } from '../bytes.ts';
import { compareDecimals, normalizeDecimal } from '../decimal.ts';
import { decodeField } from '../field-decoder.ts';
import { encodeField } from '../field-encoder.ts';
import { TAG, isListTag, scalarOf } from '../field-types.ts';
import { shortestFloat } from '../shortest-float.ts';
import type { Comparison } from './plan.ts';

/**
 * Comparison of field values by the type of the field. Numbers and decimals compare by value, texts
 * by their code units, times by time, false before true. For a list a comparison holds when it
 * holds for any item; `contains` asks for an equal item in a list, and for a part in a text. A
 * field that is absent differs from everything (`!=`) and meets nothing else.
 */
export type Predicate = (value: unknown) => boolean;

/**
 * The predicate for values of one stored form; undefined when the operand cannot be compared with
 * them.
 */
export function predicateOf(
  tag: number,
  compare: Comparison,
  operand: unknown,
): Predicate | undefined {
  if (compare === 'exists') {
    if (operand !== undefined && typeof operand !== 'boolean') return undefined;
    const isWanted = operand !== false;
    return (value) => (value !== undefined) === isWanted;
  }
  if (compare === '!=') {
    const isEqual = predicateOf(tag, '=', operand);
    return isEqual && ((value) => !isEqual(value));
  }
  const isList = isListTag(tag);
  const holds = itemPredicate(
    scalarOf(tag),
    compare === 'contains' && isList ? '=' : compare,
    operand,
  );
  if (holds === undefined) return undefined;
  return isList
    ? (value) => Array.isArray(value) && value.some(holds)
    : (value) => value !== undefined && holds(value);
}

/** Enough for every double written out in full. */
export const NUMBER_CHARACTERS_MAX = 400;

function itemPredicate(
  scalar: number,
  compare: Exclude<Comparison, 'exists' | '!='>,
  operand: unknown,
): Predicate | undefined {
  if (compare === 'in') {
    if (!Array.isArray(operand)) return undefined;
    const wanted = new Set<unknown>();
    for (const item of operand) {
      const normal = normalizeOperand(scalar, item);
      if (normal === undefined) return undefined;
      wanted.add(identity(scalar, normal));
    }
    return (value) => wanted.has(identity(scalar, value));
  }
  if (compare === 'contains' || compare === 'startsWith' || compare === 'endsWith') {
    return textPredicate(scalar, compare, operand);
  }
  const normal = normalizeOperand(scalar, operand);
  if (normal === undefined) return undefined;
  if (compare === '=') {
    const wanted = identity(scalar, normal);
    return (value) => identity(scalar, value) === wanted;
  }
  if (!isOrdered(scalar)) return undefined;
  switch (compare) {
    case '<':
      return (value) => compareValues(scalar, value, normal) < 0;
    case '<=':
      return (value) => compareValues(scalar, value, normal) <= 0;
    case '>':
      return (value) => compareValues(scalar, value, normal) > 0;
    case '>=':
      return (value) => compareValues(scalar, value, normal) >= 0;
  }
}

function textPredicate(
  scalar: number,
  compare: 'contains' | 'startsWith' | 'endsWith',
  operand: unknown,
): Predicate | undefined {
  if (scalar !== TAG.String || typeof operand !== 'string') return undefined;
  switch (compare) {
    case 'contains':
      return (value) => String(value).includes(operand);
    case 'startsWith':
      return (value) => String(value).startsWith(operand);
    case 'endsWith':
      return (value) => String(value).endsWith(operand);
  }
}

/** The operand as a field of this type would answer it; undefined when it does not fit. */
export function normalizeOperand(scalar: number, operand: unknown): unknown {
  if (isNumeric(scalar)) {
    const isDouble = scalar === TAG.Int || scalar === TAG.Double;
    if (isDouble && typeof operand === 'number' && Number.isFinite(operand)) return operand;
    // A field of whole numbers may well be compared with 2.5, and one of decimals with a JSON
    // number.
    const decimal = normalizeDecimal(operand, NUMBER_CHARACTERS_MAX);
    if (decimal === undefined || scalar === TAG.Long || scalar === TAG.Decimal) return decimal;
    return scalar === TAG.Float ? shortestFloat(Math.fround(Number(decimal))) : Number(decimal);
  }
  // What UTF-8 makes of a text.
  if (scalar === TAG.String)
    return typeof operand === 'string' ? operand.toWellFormed() : undefined;
  const bytes = new ByteWriter();
  if (encodeField(bytes, scalar, operand) !== undefined) return undefined;
  return decodeField(bytes.bytes, 0, bytes.length, scalar, scalar);
}

/** A primitive that is equal for equal values of one type, and only for them. */
export function identity(scalar: number, value: unknown): unknown {
  if (isNumeric(scalar)) return typeof value === 'number' ? value : numberIdentity(String(value));
  return scalar === TAG.Json || scalar === TAG.GeoPoint ? canonicalText(value) : value;
}

/**
 * A decimal that is a double as well is that number, so that the two meet; else its digits without
 * idle zeros.
 */
function numberIdentity(decimal: string): number | string {
  const digits = decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
  const number = Number(digits);
  return normalizeDecimal(number, NUMBER_CHARACTERS_MAX) === digits ? number : digits;
}

/** JSON with the members of objects in the order of their names. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}

/** Orders two values of one scalar type: negative, 0 or positive. */
export function compareValues(scalar: number, a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (isNumeric(scalar)) return compareDecimals(decimalOf(a), decimalOf(b));
  if (typeof a === 'string' && typeof b === 'string') return a === b ? 0 : a < b ? -1 : 1;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  return compareValues(TAG.String, canonicalText(a), canonicalText(b));
}

/** A value with its scalar type. */
export interface TypedValue {
  readonly scalar: number;
  readonly value: unknown;
}

/** Orders values of any types: numbers of all types by value, the other types each apart. */
export function compareTyped(a: TypedValue, b: TypedValue): number {
  const kindA = isNumeric(a.scalar) ? TAG.Int : a.scalar;
  const kindB = isNumeric(b.scalar) ? TAG.Int : b.scalar;
  return kindA === kindB ? compareValues(kindA, a.value, b.value) : kindA - kindB;
}

function decimalOf(number: unknown): string {
  return must(normalizeDecimal(number, NUMBER_CHARACTERS_MAX), 'a number');
}

export function isNumeric(scalar: number): boolean {
  return scalar >= TAG.Int && scalar <= TAG.Decimal;
}

function isOrdered(scalar: number): boolean {
  return scalar !== TAG.Json && scalar !== TAG.GeoPoint && scalar !== TAG.Bytes;
}
