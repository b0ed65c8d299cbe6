import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { diagnostic } from './endpoint.ts';

/** Version of the layout of files; it rises when older files can no longer be read. */
export const DEFINITIONS_FORMAT = 1;

/** What is exported and imported (docs/definitions.md), in the order in which it is imported. */
export const EXPORTED_KINDS = [
  'schema-renames',
  'schema',
  'workspace-settings',
  'type-access',
  'search-settings',
  'synonyms',
  'llm-search-settings',
  'package',
  'module',
  'endpoint',
  'tool',
  'agent',
  'task',
  'connector',
  'migration',
  'research-settings',
  'golden-set',
  'golden-answers',
] as const;

/** Where their files lie. */
export const DEFINITION_FOLDERS = [
  'agents',
  'connectors',
  'endpoints',
  'golden-answers',
  'golden-sets',
  'lib',
  'migrations',
  'npm',
  'synonyms',
  'tasks',
  'tools',
];
export const DEFINITION_FILES = [
  'llm-search-settings.json',
  'manifest.json',
  'research-settings.json',
  'schema-renames.json',
  'schema.json',
  'search-settings.json',
  'type-access.json',
  'workspace-settings.json',
];

/**
 * Kinds that a token with the scope `deploy` neither reads nor writes: they name users and teams,
 * or decide who may do what.
 */
export const KINDS_OF_ADMINISTRATORS: readonly (typeof EXPORTED_KINDS)[number][] = [
  'workspace-settings',
  'type-access',
  'task',
  'connector',
];

export const IMPORT_ACTIONS = ['created', 'changed', 'deleted', 'unchanged', 'failed'] as const;
const action = z.enum(IMPORT_ACTIONS);

const flag = z
  .enum(['true', 'false'], 'must be "true" or "false"')
  .default('false')
  .transform((text) => text === 'true');

/** How definitions are brought back, and imported. */
export const rollbackQuery = z.object({
  /** Only reports what would be done. */
  dryRun: flag,
  /** Also takes code that does not compile, and keeps it as a draft. */
  drafts: flag,
});

export const definitionsImportQuery = rollbackQuery.extend({
  /** Also deletes what the zip has not. */
  mirror: flag,
});

/** What has become of one definition; of an import that is not applied, what would. */
export const importedItem = z.strictObject({
  kind: z.enum(EXPORTED_KINDS),
  name: z.string(),
  /** Path of its file, to whose lines the diagnostics point. */
  file: z.string(),
  action,
  /**
   * Unified, of its files as an export would have them; empty when nothing changes, and cut off
   * where it is very long.
   */
  diff: z.string(),
  /** Why code does not compile. */
  diagnostics: z.array(diagnostic.partial({ line: true, column: true, code: true })),
  /** Why the item has failed; else null. */
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
});
export type ImportedItem = Immutable<z.infer<typeof importedItem>>;

/** The data of the event `result` of an import. */
export const definitionsImport = z.strictObject({
  dryRun: z.boolean(),
  mirror: z.boolean(),
  drafts: z.boolean(),
  /** Whether the workspace is now as the items say: all of them, or none. */
  applied: z.boolean(),
  /** Null of a dry run, which is no job. */
  jobId: z.string().nullable(),
  /** Null when nothing was changed. */
  deploymentId: z.string().nullable(),
  totals: z.record(action, z.int().min(0)),
  /** In the order in which they were imported. */
  items: z.array(importedItem),
  /** Paths of files that are no definition's, or not for this caller; the first of them. */
  ignored: z.array(z.string()),
  /** What people have to do once it is applied, as files do not hold it: such as secrets. */
  afterwards: z.array(
    z.strictObject({ kind: z.enum(EXPORTED_KINDS), name: z.string(), message: z.string() }),
  ),
});
export type DefinitionsImport = Immutable<z.infer<typeof definitionsImport>>;
