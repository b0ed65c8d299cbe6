import type { FieldType } from './shapes/schema-document.ts';

/** The names of keys of GraphML that are no fields: these have no dots. */
export const GRAPHML_NAMES = {
  /** As JSON. */
  schema: 'trellis.schema',
  type: 'trellis.type',
  key: 'trellis.key',
  timestamp: 'trellis.timestamp',
  /** A list, as JSON. */
  aliases: 'trellis.aliases',
  /** An object, as JSON: further fields, and a key that XML cannot hold. */
  more: 'trellis.more',
} as const;

/** The type of a key of GraphML whose values are of a field type. */
export function graphmlTypeOf(type: FieldType): string {
  switch (type) {
    case 'Int':
      return 'int';
    case 'Long':
      return 'long';
    case 'Float':
      return 'float';
    case 'Double':
      return 'double';
    case 'Bool':
      return 'boolean';
    default:
      return 'string';
  }
}
