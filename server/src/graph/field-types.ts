import { SCALAR_TYPES } from '@trellis/contract/field-types.ts';

export type ScalarType = (typeof SCALAR_TYPES)[number];

export interface GeoPoint {
  readonly lat: number;
  readonly lon: number;
}

/**
 * A field's value as JSON: String, UID, Bytes (base64), Decimal and Long beyond 2^53 (decimal
 * digits) and Time (ISO 8601 UTC with milliseconds) are strings; Int, Long, Float, Double are
 * numbers; Json is any JSON.
 */
export type FieldValue = unknown;

/** The numbers of the scalar types; a list is the scalar's number with the bit `LIST` set. */
export const TAG = {
  String: 0,
  Int: 1,
  Long: 2,
  Float: 3,
  Double: 4,
  Decimal: 5,
  Bool: 6,
  Time: 7,
  UID: 8,
  GeoPoint: 9,
  Json: 10,
  Bytes: 11,
} as const satisfies Record<ScalarType, number>;

export const LIST = 0x80;
const SCALAR = 0x7f;

const TAG_OF = new Map<string, number>(
  SCALAR_TYPES.flatMap((scalar, tag) => [
    [scalar, tag],
    [`${scalar}[]`, tag | LIST],
  ]),
);

/** The tag of a field type, or undefined when there is no such type. */
export function tagOf(type: unknown): number | undefined {
  return typeof type === 'string' ? TAG_OF.get(type) : undefined;
}

export function isListTag(tag: number): boolean {
  return (tag & LIST) !== 0;
}

export function scalarOf(tag: number): number {
  return tag & SCALAR;
}

/**
 * Whether every value stored with tag `from` can be read as tag `to`. Numbers widen when no digit
 * is lost, and a single value reads as a list with one item. Any other change would lose data or
 * require stored records to be rewritten.
 */
export function widens(from: number, to: number): boolean {
  if (from === to) return true;
  if (isListTag(from) && !isListTag(to)) return false;
  const a = scalarOf(from);
  const b = scalarOf(to);
  return a === b || (WIDER_SCALARS.get(a)?.includes(b) ?? false);
}

const WIDER_SCALARS: ReadonlyMap<number, readonly number[]> = new Map([
  [TAG.Int, [TAG.Long, TAG.Double, TAG.Decimal]],
  [TAG.Long, [TAG.Decimal]],
  [TAG.Float, [TAG.Double]],
]);
