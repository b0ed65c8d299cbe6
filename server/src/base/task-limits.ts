/** The limits of tasks and migrations. Units last. */

/** Tasks of one workspace, and runs of each that are kept. */
export const TASKS_MAX = 1_000;
export const TASK_RUNS_KEPT = 100;
/** What is kept of one run: of what came of it, and lines of its log. */
export const TASK_RESULT_CHARACTERS_MAX = 10_000;
export const TASK_LOG_LINES_MAX = 100;
export const TASK_LOG_CHARACTERS_MAX = 500;
/** The next runs that a task tells of. */
export const TASK_NEXT_RUNS = 5;
/** The scheduler looks at the clock again after this time at the latest: somebody may have set it, or the machine slept. */
export const TASK_LOOK_INTERVAL_MAX_MS = 30_000;
/** Migrations of one workspace, and how long one may run. */
export const MIGRATIONS_MAX = 1_000;
export const MIGRATION_TIME_MAX_MS = 24 * 3_600_000;
/** How long whoever cancels one waits for its end (specification, section 4.7), and when it is ended by force. */
export const MIGRATION_CANCEL_WAIT_MS = 30_000;
export const MIGRATION_FORCED_END_MS = 5 * 60_000;
