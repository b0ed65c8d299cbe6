import { z } from 'zod';
import { SCALAR_TYPES } from '../field-types.ts';
import type { Immutable } from '../immutable.ts';
import { graphName, recordUpTo } from '../bounded-shapes.ts';
import { SCHEMA_FIELDS_PER_TYPE_MAX, SCHEMA_TYPES_MAX } from '../limits.ts';

export const fieldType = z.enum(
  SCALAR_TYPES.flatMap((scalar) => [scalar, `${scalar}[]` as const] as const),
);
export type FieldType = z.infer<typeof fieldType>;

const fieldTypes = recordUpTo(SCHEMA_FIELDS_PER_TYPE_MAX, graphName.min(1), fieldType);

/** The schema as it crosses HTTP (open-shapes, section 4). */
export const schemaDocument = z.strictObject({
  nodes: z
    .array(
      z.strictObject({
        type: graphName.min(1),
        /** The name under which a node also shows its key; a String. */
        key: graphName.min(1).optional(),
        fields: fieldTypes,
        /** A Time field that gives the node its timestamp. */
        timestamp: graphName.min(1).optional(),
        /** The field that names a node for people. */
        label: graphName.min(1).optional(),
      }),
    )
    .max(SCHEMA_TYPES_MAX),
  edges: z
    .array(
      z.strictObject({
        type: graphName.min(1),
        /** The edge type that is created and removed with it, the other way round. */
        inverse: graphName.min(1).optional(),
        fields: fieldTypes.optional(),
      }),
    )
    .max(SCHEMA_TYPES_MAX),
});
export type SchemaDocument = Immutable<z.infer<typeof schemaDocument>>;
