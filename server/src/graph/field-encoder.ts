import { JSON_DEPTH_MAX } from '#base/limits.ts';
import { tryParseUid } from '#base/uid.ts';
import { unreachable } from '#base/assert.ts';
import { type ByteWriter, VARINT_BYTES_MAX, varintBytes } from './bytes.ts';
import { normalizeDecimal } from './decimal.ts';
import { SCALAR_TYPES } from '@trellis/contract/field-types.ts';
import { LIST, TAG, scalarOf } from './field-types.ts';
import type { GeoPoint } from './field-types.ts';
import { parseTime } from './time.ts';

/** Why a value does not fit its field: where inside the value, and what was expected there. */
export interface ValueFault {
  /** Empty for the value itself, `[3]` for an item of a list. */
  readonly path: string;
  readonly expected: string;
}

/**
 * Checks a JSON value against a field type and appends its normalised stored form; `field-types.ts`
 * says what each type takes. Returns the fault when the value does not fit. Then the appended bytes
 * mean nothing.
 */
export function encodeField(out: ByteWriter, tag: number, value: unknown): ValueFault | undefined {
  if ((tag & LIST) === 0) {
    const expected = encodeScalar(out, tag, value);
    return expected === undefined ? undefined : { path: '', expected };
  }
  const scalar = scalarOf(tag);
  if (!Array.isArray(value)) {
    return { path: '', expected: `a list of ${SCALAR_TYPES[scalar]!}` };
  }
  const fixed = FIXED_BYTES[scalar]!;
  for (let i = 0; i < value.length; i++) {
    const expected =
      fixed > 0 ? encodeScalar(out, scalar, value[i]) : encodeItem(out, scalar, value[i]);
    if (expected !== undefined) return { path: `[${i}]`, expected };
  }
  return undefined;
}

/**
 * The size of each scalar in bytes when it is fixed, else 0. Lists of fixed-size scalars store no
 * lengths.
 */
export const FIXED_BYTES: readonly number[] = SCALAR_TYPES.map((scalar) => {
  switch (scalar) {
    case 'Bool':
      return 1;
    case 'Int':
    case 'Float':
      return 4;
    case 'Long':
    case 'Double':
    case 'Time':
      return 8;
    case 'UID':
    case 'GeoPoint':
      return 16;
    case 'String':
    case 'Decimal':
    case 'Json':
    case 'Bytes':
      return 0;
    default:
      return unreachable(scalar);
  }
});

/**
 * Appends an item of varying size, with its length before it. That is known only after the item is
 * written, and takes the one byte that was left for it in most lists.
 */
function encodeItem(out: ByteWriter, scalar: number, value: unknown): string | undefined {
  const start = out.length;
  // So that no length needs more room, which would not keep what is behind it.
  out.reserve(VARINT_BYTES_MAX);
  out.length++;
  const expected = encodeScalar(out, scalar, value);
  if (expected !== undefined) return expected;
  const end = out.length;
  const length = end - start - 1;
  const further = varintBytes(length) - 1;
  if (further > 0) {
    out.reserve(further);
    out.bytes.copyWithin(start + 1 + further, start + 1, end);
  }
  out.length = start;
  out.varint(length);
  out.length += length;
  return undefined;
}

/** Appends one value. When it does not fit, returns what was expected. */
function encodeScalar(out: ByteWriter, scalar: number, value: unknown): string | undefined {
  switch (scalar) {
    case TAG.String:
      if (typeof value !== 'string') return 'a string';
      out.utf8(value);
      return undefined;
    case TAG.Int:
      if (typeof value !== 'number' || (value | 0) !== value) {
        return 'a whole number from -2147483648 to 2147483647';
      }
      out.i32(value);
      return undefined;
    case TAG.Long:
      return encodeLong(out, value);
    case TAG.Float:
    case TAG.Double:
      return encodeFloating(out, scalar, value);
    case TAG.Decimal: {
      const decimal = normalizeDecimal(value);
      if (decimal === undefined) return 'a decimal number as digits, like "12.50"';
      out.utf8(decimal);
      return undefined;
    }
    case TAG.Bool:
      if (typeof value !== 'boolean') return 'true or false';
      out.u8(value ? 1 : 0);
      return undefined;
    case TAG.Time: {
      const time = parseTime(value);
      if (time === undefined) return 'a time in ISO 8601, or milliseconds since 1970';
      out.f64(time);
      return undefined;
    }
    default:
      return encodeStructure(out, scalar, value);
  }
}

function encodeStructure(out: ByteWriter, scalar: number, value: unknown): string | undefined {
  switch (scalar) {
    case TAG.UID: {
      const uid = typeof value === 'string' ? tryParseUid(value) : undefined;
      if (uid === undefined) return 'a UID of 22 characters';
      out.copy(uid, 0, uid.length);
      return undefined;
    }
    case TAG.GeoPoint: {
      if (!isGeoPoint(value)) return '{lat, lon} with lat from -90 to 90 and lon from -180 to 180';
      out.f64(value.lat);
      out.f64(value.lon);
      return undefined;
    }
    case TAG.Json: {
      const fault = faultOfJson(value, JSON_DEPTH_MAX);
      if (fault !== undefined) return fault;
      out.utf8(JSON.stringify(value));
      return undefined;
    }
    default: {
      const bytes = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined;
      if (bytes === undefined || bytes.toString('base64') !== value) return 'bytes in base64';
      out.copy(bytes, 0, bytes.length);
      return undefined;
    }
  }
}

const LONG = /^-?\d{1,19}$/;
const LONG_EXPECTED = 'a whole number of 64 bits; beyond 2^53 as a string of digits';

function encodeLong(out: ByteWriter, value: unknown): string | undefined {
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) return LONG_EXPECTED;
    out.i32(Math.floor(value / 0x1_0000_0000));
    out.i32(value | 0);
    return undefined;
  }
  if (typeof value !== 'string' || !LONG.test(value)) return LONG_EXPECTED;
  const wide = BigInt(value);
  if (BigInt.asIntN(64, wide) !== wide) return LONG_EXPECTED;
  out.i64(wide);
  return undefined;
}

function encodeFloating(out: ByteWriter, scalar: number, value: unknown): string | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'a finite number';
  // Negative zero is stored as 0: JSON prints it as 0, and equal values should have equal bytes.
  const number = value === 0 ? 0 : value;
  if (scalar === TAG.Double) {
    out.f64(number);
    return undefined;
  }
  if (!Number.isFinite(Math.fround(number))) return 'a number within the range of 32-bit floats';
  out.f32(number);
  return undefined;
}

function isGeoPoint(value: unknown): value is GeoPoint {
  if (typeof value !== 'object' || value === null) return false;
  if (!('lat' in value) || !('lon' in value) || Object.keys(value).length !== 2) return false;
  const { lat, lon } = value;
  if (typeof lat !== 'number' || typeof lon !== 'number') return false;
  return lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180;
}

/**
 * Needed because `JSON.stringify` silently drops or changes what is not JSON, and recurses without
 * a limit.
 */
function faultOfJson(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return undefined;
    case 'number':
      return Number.isFinite(value) ? undefined : 'JSON, which has no NaN and no Infinity';
    case 'object':
      break;
    default:
      return `JSON, which has no ${typeof value}`;
  }
  if (value === null) return undefined;
  if (depth === 0) return `JSON of at most ${JSON_DEPTH_MAX} levels`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return 'plain JSON';
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) {
    const fault = faultOfJson(item, depth - 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
