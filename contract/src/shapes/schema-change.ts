import { z } from 'zod';
import { graphName } from '../bounded-shapes.ts';
import type { Immutable } from '../immutable.ts';
import { SCHEMA_CHANGES_MAX } from '../limits.ts';
import { diagnostic } from './endpoint.ts';
import { fieldType } from './schema-document.ts';

const name = graphName.min(1);

/** A field alone is `Type.Field`. */
const rename = z.union([
  z.strictObject({ type: name, field: name.optional(), to: name }),
  z.strictObject({ edge: name, field: name.optional(), to: name }),
  z.strictObject({ field: name, to: name }),
]);

/** Of an import of definitions: names before and after, in the order in which they changed. */
export const schemaRenames = z.strictObject({
  renames: z.array(rename).max(SCHEMA_CHANGES_MAX),
});
export type SchemaRenames = Immutable<z.infer<typeof schemaRenames>>;

const place = z.union([
  z.strictObject({ type: name, field: name.optional() }),
  z.strictObject({ edge: name, field: name.optional() }),
  z.strictObject({ field: name }),
]);

const retype = z.union([
  z.strictObject({ type: name, field: name, to: fieldType }),
  z.strictObject({ field: name, to: fieldType }),
]);

/** One change of a schema that is in use (open-shapes, section 10). */
export const schemaChange = z.union([
  z.strictObject({ rename }),
  z.strictObject({ retype }),
  z.strictObject({ drop: place }),
]);
export type SchemaChange = Immutable<z.infer<typeof schemaChange>>;

/** The undo of a drop brings back what was dropped. */
export const schemaChangeMade = z.union([
  ...schemaChange.options,
  z.strictObject({ restore: place }),
]);
export type SchemaChangeMade = Immutable<z.infer<typeof schemaChangeMade>>;

export const schemaChangeRequest = z.strictObject({
  changes: z.array(schemaChange).min(1).max(SCHEMA_CHANGES_MAX),
  dryRun: z.boolean().optional(),
  force: z.boolean().optional(),
});
export type SchemaChangeRequest = Immutable<z.infer<typeof schemaChangeRequest>>;

/** What a change breaks. */
export const schemaBreak = z.strictObject({
  kind: z.enum([
    'endpoint',
    'module',
    'migration',
    'tool',
    'task',
    'searchSetting',
    'access',
    'goldenSet',
    'index',
  ]),
  name: z.string(),
  why: z.string(),
  diagnostics: z.array(diagnostic).optional(),
});
export type SchemaBreak = Immutable<z.infer<typeof schemaBreak>>;

export const schemaChangeOutcome = z.strictObject({
  /** Absent for a dry run. */
  id: z.string().optional(),
  sequence: z.int().min(0).optional(),
  breaks: z.array(schemaBreak),
  nodes: z.int().min(0),
  edges: z.int().min(0),
  lossy: z.boolean(),
  /** Values of nodes that are shown no more, or as other ones. */
  lostValues: z.int().min(0),
});
export type SchemaChangeOutcome = Immutable<z.infer<typeof schemaChangeOutcome>>;

/** A change that was made. */
export const schemaChangeRecord = z.strictObject({
  id: z.string(),
  at: z.string(),
  by: z.strictObject({ uid: z.string(), name: z.string() }).nullable(),
  changes: z.array(schemaChangeMade),
  forced: z.boolean(),
  /** The change that this one takes back; null for others. */
  undoes: z.string().nullable(),
  undoneBy: z.string().nullable(),
});
export type SchemaChangeRecord = Immutable<z.infer<typeof schemaChangeRecord>>;

export const schemaChangeInPath = z.object({ id: name });
