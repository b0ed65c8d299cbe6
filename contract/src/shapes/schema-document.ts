import { z } from 'zod';
import { SCALAR_TYPES } from '../field-types.ts';
import type { Immutable } from '../immutable.ts';

export const fieldType = z.enum(
  SCALAR_TYPES.flatMap((scalar) => [scalar, `${scalar}[]` as const] as const),
);
export type FieldType = z.infer<typeof fieldType>;

const fieldTypes = z.record(z.string().min(1), fieldType);

/** The schema as it crosses HTTP (open-shapes, section 4). */
export const schemaDocument = z.strictObject({
  nodes: z.array(
    z.strictObject({
      type: z.string().min(1),
      /** The name under which a node also shows its key; a String. */
      key: z.string().min(1).optional(),
      fields: fieldTypes,
      /** A Time field that gives the node its timestamp. */
      timestamp: z.string().min(1).optional(),
      /** The field that names a node for people. */
      label: z.string().min(1).optional(),
    }),
  ),
  edges: z.array(
    z.strictObject({
      type: z.string().min(1),
      /** The edge type that is created and removed with it, the other way round. */
      inverse: z.string().min(1).optional(),
      fields: fieldTypes.optional(),
    }),
  ),
});
export type SchemaDocument = Immutable<z.infer<typeof schemaDocument>>;
