import { isDeepStrictEqual } from 'node:util';
import { ByteWriter } from './bytes.ts';
import { compareDecimals, normalizeDecimal } from './decimal.ts';
import { encodeField } from './field-encoder.ts';
import { isListTag, scalarOf, TAG } from './field-types.ts';
import { decodeScalar } from './scalar-decoder.ts';

/**
 * What a value becomes when its field gets another type (`retype` in open-shapes, section 10). A
 * value is stored as it was written, and converted whenever it is read, so the way back loses
 * nothing. docs/schema-changes.md has this table for people.
 *
 *   to         from
 *   String     everything: numbers and true as they are spelt, objects as JSON
 *   numbers    numbers that fit without a change; texts that spell one; Bool as 1 and 0; Time as
 *              milliseconds since 1970
 *   Bool       1 and 0, "true" and "false"
 *   Time       ISO 8601; milliseconds since 1970
 *   UID, Bytes texts that are one
 *   GeoPoint   JSON, and texts with JSON, of the form {lat, lon}
 *   Json       everything, as it is
 *   a list     a single value as the only item; of a list each item
 *   one value  a list with one item
 */

const NUMBERS: ReadonlySet<number> = new Set([
  TAG.Int,
  TAG.Long,
  TAG.Float,
  TAG.Double,
  TAG.Decimal,
]);

/** The value, stored with the tag `from`, as one with the tag `to`; undefined when it is lost. */
export function convertValue(value: unknown, from: number, to: number): unknown {
  if (from === to) return value;
  const scalar = scalarOf(to);
  // Json holds whole lists, too.
  if (to === TAG.Json) return value;
  if (isListTag(to)) {
    const items = Array.isArray(value) ? value : [value];
    const converted = items.map((item) => convertScalar(item, scalarOf(from), scalar));
    return converted.includes(undefined) ? undefined : converted;
  }
  if (!Array.isArray(value)) return convertScalar(value, scalarOf(from), scalar);
  if (scalarOf(from) === TAG.Json && scalar === TAG.String) return JSON.stringify(value);
  return value.length === 1 ? convertScalar(value[0], scalarOf(from), scalar) : undefined;
}

/** Whether the value is another one, or none, after the way there and back. */
export function losesValue(value: unknown, from: number, to: number): boolean {
  const there = convertValue(value, from, to);
  if (there === undefined) return true;
  if (NUMBERS.has(from) && NUMBERS.has(to)) return !isSameNumber(value, there);
  const back = convertValue(there, to, from);
  return !isDeepStrictEqual(back, value);
}

/** As they are spelt: 0.1 is 0.1, as a Float as well. */
function isSameNumber(one: unknown, other: unknown): boolean {
  const [a, b] = [one, other].map((value) => normalizeDecimal(value));
  return a !== undefined && b !== undefined && compareDecimals(a, b) === 0;
}

function convertScalar(value: unknown, from: number, to: number): unknown {
  if (from === to) return value;
  const candidate = candidateFor(value, from, to);
  return candidate === undefined ? undefined : normalized(candidate, to);
}

function candidateFor(value: unknown, from: number, to: number): unknown {
  switch (to) {
    case TAG.String:
      return typeof value === 'string' ? value : JSON.stringify(value);
    case TAG.Json:
      return value;
    case TAG.Bool:
      return toBool(value);
    case TAG.GeoPoint:
      return typeof value === 'string' ? parsed(value) : value;
    case TAG.Time:
      return from === TAG.Bool ? undefined : toTime(value, from);
    case TAG.Decimal:
      return from === TAG.Time ? String(Date.parse(String(value))) : toDecimal(value);
    case TAG.Int:
    case TAG.Float:
    case TAG.Double:
      return from === TAG.Time ? Date.parse(String(value)) : toNumber(value);
    case TAG.Long:
      return from === TAG.Time ? Date.parse(String(value)) : toLong(value);
    default:
      return typeof value === 'string' ? value : undefined;
  }
}

function toBool(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value === 1 || value === 'true' || value === '1') return true;
  return value === 0 || value === 'false' || value === '0' ? false : undefined;
}

/** Long and Decimal may be texts of digits, too. */
function toTime(value: unknown, from: number): unknown {
  return NUMBERS.has(from) ? Number(value) : value;
}

/** How people and programs spell numbers; not '', ' 1' or '0x10', which `Number` takes as well. */
const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function toNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : undefined;
}

function toDecimal(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'string' || !NUMBER.test(value)) return value;
  return /[eE]/.test(value) ? Number(value) : value.replace('+', '');
}

/** Without a fraction of zeros, so that 5.0 is a whole number; digits stay digits beyond 2^53. */
function toLong(value: unknown): unknown {
  if (typeof value !== 'string' || !NUMBER.test(value) || /[eE]/.test(value)) {
    return toNumber(value);
  }
  return value.replace('+', '').replace(/\.0+$/, '');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** As the value would be shown if it had been written with this tag; undefined if it cannot be. */
function normalized(value: unknown, scalar: number): unknown {
  const out = new ByteWriter();
  return encodeField(out, scalar, value) === undefined
    ? decodeScalar(out.bytes, 0, out.length, scalar)
    : undefined;
}
