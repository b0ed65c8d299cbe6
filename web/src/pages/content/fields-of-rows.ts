import type { FieldType } from '@trellis/contract/shapes/schema-document.ts';
import { isFieldType } from './field-types.ts';
import type { FieldRow } from './field-rows.tsx';

/** The fields by name; rows without a name are left out. */
export function fieldsOfRows(rows: readonly FieldRow[]): Record<string, FieldType> {
  const fields: Record<string, FieldType> = {};
  for (const { name, type } of rows) {
    if (name.trim() !== '' && isFieldType(type)) fields[name.trim()] = type;
  }
  return fields;
}
