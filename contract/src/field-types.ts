/** The scalar field types; a list of each is written `String[]` (open-shapes, section 2). */
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
