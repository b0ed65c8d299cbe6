/** Migrations of one workspace, and how long one may run. */
export const MIGRATIONS_MAX = 1_000;
export const MIGRATION_TIME_MAX_MS = 24 * 3_600_000;
/**
 * A cancellation waits this long for the end of the migration (specification, section 4.7). After
 * the second time the migration is ended by force.
 */
export const MIGRATION_CANCEL_WAIT_MS = 30_000;
export const MIGRATION_FORCED_END_MS = 5 * 60_000;
/**
 * A dry run ends after this time. It holds one commit of the state for so long, and what it writes
 * in memory: so many keys in all, and in one commit, and so many bytes.
 */
export const DRY_RUN_MAX_MS = 30_000;
export const TRIAL_OPERATIONS_MAX = 500_000;
export const TRIAL_COMMIT_OPERATIONS_MAX = 100_000;
export const TRIAL_BYTES_MAX = 128 * 1024 * 1024;
