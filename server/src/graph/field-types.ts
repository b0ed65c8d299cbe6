/** The scalar field types (open-shapes, section 2); a list of each is written `String[]`. The order stands in stored schemas: append only. */
export const SCALAR_TYPES = [
  'String', 'Int', 'Long', 'Float', 'Double', 'Decimal', 'Bool', 'Time', 'UID', 'GeoPoint', 'Json', 'Bytes',
] as const;

export type ScalarType = (typeof SCALAR_TYPES)[number];
export type FieldType = ScalarType | `${ScalarType}[]`;

export interface GeoPoint {
  readonly lat: number;
  readonly lon: number;
}

/**
 * A field's value as JSON: String, UID, Bytes (base64), Decimal and Long beyond 2^53 (decimal digits) and Time (ISO 8601 UTC with
 * milliseconds) are strings; Int, Long, Float, Double are numbers; Json is any JSON.
 */
export type FieldValue = unknown;
