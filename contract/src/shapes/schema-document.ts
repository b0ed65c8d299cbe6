import { z } from 'zod';
import { SCALAR_TYPES } from '../field-types.ts';
import type { Immutable } from '../immutable.ts';
import { graphName, recordUpTo } from '../bounded-shapes.ts';
import {
  INDEX_FIELDS_MAX,
  SCHEMA_ALIASES_MAX,
  SCHEMA_FIELDS_PER_TYPE_MAX,
  SCHEMA_INDEXES_PER_TYPE_MAX,
  SCHEMA_TYPES_MAX,
} from '../limits.ts';

export const fieldType = z.enum(
  SCALAR_TYPES.flatMap((scalar) => [scalar, `${scalar}[]` as const] as const),
);
export type FieldType = z.infer<typeof fieldType>;

const fieldTypes = recordUpTo(SCHEMA_FIELDS_PER_TYPE_MAX, graphName.min(1), fieldType);

const fieldNames = z.array(graphName.min(1)).min(1).max(INDEX_FIELDS_MAX);

/** Names what an index is over: one field, or several in their order. */
const indexedFields = {
  field: graphName.min(1).optional(),
  fields: fieldNames.optional(),
};

/** A field index (open-shapes, section 9). */
const indexDocument = z.strictObject({
  ...indexedFields,
  unique: z.boolean().optional(),
  state: z.enum(['building', 'ready']).optional(),
  entries: z.int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});
export type IndexDocument = Immutable<z.infer<typeof indexDocument>>;
export const indexDocuments = z.array(indexDocument).max(SCHEMA_INDEXES_PER_TYPE_MAX);

/** Which index is meant: `field`, or `fields` in the order of the index. */
export const indexReference = z.strictObject({ type: graphName.min(1), ...indexedFields });
export type IndexReference = Immutable<z.infer<typeof indexReference>>;

/** A former name that reads still take (open-shapes, section 10). */
export const schemaAlias = z.union([
  z.strictObject({
    type: graphName.min(1),
    field: graphName.min(1).optional(),
    alias: graphName.min(1),
  }),
  z.strictObject({
    edge: graphName.min(1),
    field: graphName.min(1).optional(),
    alias: graphName.min(1),
  }),
]);
export type SchemaAlias = Immutable<z.infer<typeof schemaAlias>>;

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
        indexes: indexDocuments.optional(),
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
  /** Not taken from a request: see `schemaAlias`. */
  aliases: z.array(schemaAlias).max(SCHEMA_ALIASES_MAX).optional(),
});
export type SchemaDocument = Immutable<z.infer<typeof schemaDocument>>;
