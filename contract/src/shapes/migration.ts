import { z } from 'zod';
import type { Immutable } from '../immutable.ts';
import { diagnostic, endpointCode } from './endpoint.ts';
import { jobLine } from './job.ts';
import { segmentName } from './task.ts';

export const migrationInPath = z.object({ name: segmentName });

/** `interrupted`: the server ended first. All but the first two are ends. */
export const MIGRATION_STATES = [
  'pending',
  'running',
  'succeeded',
  'failed',
  'cancelled',
  'interrupted',
] as const;
const status = z.enum(MIGRATION_STATES);

/** What is decided about a migration beside its code (open-shapes, section 8). */
export const migrationOptions = z.strictObject({
  /** Whether a start of the primary runs it, when it has not run yet. */
  runOnStartup: z.boolean(),
});

const migrationSettings = migrationOptions.extend({
  /** A module like that of an endpoint that may write. */
  code: endpointCode,
});

export const newMigration = migrationSettings
  .partial({ runOnStartup: true })
  .extend({ name: segmentName });
export type NewMigration = Immutable<z.infer<typeof newMigration>>;

/** What is left out stays as it is. */
export const migrationChange = migrationSettings.partial();
export type MigrationChange = Immutable<z.infer<typeof migrationChange>>;

export const migration = migrationSettings.extend({
  UID: z.string(),
  name: segmentName,
  status,
  /** Rises by 1 with every change, also when the migration is deleted and created again. */
  version: z.int().min(1),
  compiles: z.boolean(),
  diagnostics: z.array(diagnostic),
  /** Version of the code that ran last; null before the first run, as are the next five. */
  ranVersion: z.int().min(1).nullable(),
  jobId: z.string().nullable(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  /** The last lines of what it logged, oldest first. */
  log: z.array(jobLine),
  updatedAt: z.iso.datetime(),
});
export type Migration = Immutable<z.infer<typeof migration>>;

/** A migration that a request may name, or not. */
export const migrationChoice = z.strictObject({ name: segmentName.optional() }).optional();

/** Names of those whose status is `pending` now. */
export const resetMigrations = z.strictObject({ reset: z.array(segmentName) });

const typeChanges = z.strictObject({
  type: z.string(),
  created: z.int().min(0),
  changed: z.int().min(0),
  deleted: z.int().min(0),
});

/** What a run of a migration would do; nothing of it is done. */
export const migrationDryRun = z.strictObject({
  name: segmentName,
  /** Of the code that was tried. */
  version: z.int().min(1),
  /**
   * `timed_out` after 30 seconds, `too_large` when it writes more than is kept for a trial: then
   * the counts are what it had written by then.
   */
  outcome: z.enum(['completed', 'failed', 'timed_out', 'too_large']),
  /** Why it failed. */
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  /** By type; a node that is written several times counts once. */
  nodes: z.array(typeChanges),
  /** An inverse counts as an edge of its own type. */
  edges: z.array(typeChanges),
  /** The last lines of what it logged, oldest first. */
  log: z.array(jobLine),
  tookMs: z.int().min(0),
});
export type MigrationDryRun = Immutable<z.infer<typeof migrationDryRun>>;
