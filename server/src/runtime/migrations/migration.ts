import type { Migration } from '@trellis/contract/shapes/migration.ts';

/** What is decided about a migration (open-shapes, section 8). */
export interface MigrationSettings {
  readonly code: string;
  /** Whether a start of the primary runs it, when it has not run yet. */
  readonly runOnStartup: boolean;
}

/** `interrupted`: the process ended first. All but the first two are ends. */
export type MigrationStatus =
  | 'pending'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'interrupted';

/** How a migration ran last; times are ISO 8601 UTC. Nothing of one that never ran. */
export interface MigrationRun {
  readonly ranVersion: number | null;
  readonly jobId: string | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The last lines of what it logged, oldest first. */
  readonly log: readonly { readonly at: string; readonly text: string }[];
}

export interface StoredMigration extends Migration {
  /** UID of a user; null when the server itself did it. */
  readonly updatedBy: string | null;
  /** Version of the node, for optimistic changes. */
  readonly nodeVersion: number;
}

export const NEVER_RAN: MigrationRun = {
  ranVersion: null,
  jobId: null,
  startedAt: null,
  endedAt: null,
  error: null,
  log: [],
};
