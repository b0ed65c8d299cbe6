/**
 * The scalar field types; a list of each is written `String[]` (open-shapes, section 2). The place
 * of a type in this list is its number in stored records: append only.
 */
export const SCALAR_TYPES = [
  'String',
  'Int',
  'Long',
  'Float',
  'Double',
  'Decimal',
  'Bool',
  'Time',
  'UID',
  'GeoPoint',
  'Json',
  'Bytes',
] as const;
