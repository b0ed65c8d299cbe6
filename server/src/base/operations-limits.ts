/** The limits of what shows how a server runs: its log, its jobs, samples of its load. Units last. */

/** Log records that a server keeps in memory, and their characters; those that a watcher is given at a time. */
export const LOG_KEPT_LINES_MAX = 10_000;
export const LOG_KEPT_CHARACTERS_MAX = 8 * 1024 * 1024;
export const LOG_BATCH_LINES_MAX = 256;
/** Searches of log files: what is read at a time, one line, and how long one search may take. */
export const LOG_BLOCK_BYTES = 256 * 1024;
export const LOG_LINE_BYTES_MAX = 4 * 1024 * 1024;
export const LOG_SEARCH_TIME_MAX_MS = 5_000;
/** Jobs: those that are kept after their end, the lines of one, and a text; one that lasts longer than this is kept over a restart. */
export const JOBS_KEPT = 200;
export const JOB_LOG_LINES_MAX = 100;
export const JOB_TEXT_CHARACTERS_MAX = 500;
export const JOB_STORED_AFTER_MS = 1_000;
/** How often what other threads do at length is looked at, to be shown as a job. */
export const JOB_LOOK_INTERVAL_MS = 500;
/** How often clients hear of the progress of one job over the WebSocket, at most. */
export const JOB_NOTICE_INTERVAL_MS = 250;
/** How often the load of the process is sampled, and how many samples are kept: those of an hour. */
export const LOAD_SAMPLE_INTERVAL_MS = 10_000;
export const LOAD_SAMPLES_KEPT = 360;
/** The description of the API: operations, and endpoints, that are described before other requests have a turn. */
export const API_DOCUMENT_STEPS = 8;
export const API_DOCUMENT_BATCH = 16;
