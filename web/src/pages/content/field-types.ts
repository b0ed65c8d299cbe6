import { SCALAR_TYPES } from '@trellis/contract/field-types.ts';
import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';

/** Each with a list of it, to choose from. */
export const FIELD_TYPE_OPTIONS = SCALAR_TYPES.flatMap((scalar) => [
  { value: scalar, label: scalar === 'Float' ? 'Float (7 digits)' : scalar },
  { value: `${scalar}[]`, label: `List of ${scalar}` },
]);

const NAMES = new Set(FIELD_TYPE_OPTIONS.map(({ value }) => value));

export function isFieldType(text: string): text is FieldType {
  return NAMES.has(text);
}
