/** Of the processes that run the code of endpoints; others of theirs are in limits.ts. */

/**
 * Private memory that the process of an endpoint worker may have, as the operating system counts it (`RLIMIT_DATA`): 1.1 GB of it are
 * stacks and room for machine code that nothing is in.
 */
export const ENDPOINT_PROCESS_DATA_KB_MAX = 2_304 * 1_024;
/** A process that does not answer for so long counts as one whose code does not come back. */
export const ENDPOINT_SILENT_MS = 5_000;
/** One text between the server and the process of an endpoint worker. */
export const ENDPOINT_FRAME_BYTES_MAX = 512 * 1024 * 1024;
/** Threads that search for the code of endpoints. */
export const ENDPOINT_SEARCH_THREADS_MAX = 4;
/** Searches that a thread has before it at a time; and of a caller whose searches take so long on average, milliseconds. */
export const SEARCH_THREAD_ASKED_MAX = 8;
export const SEARCH_THREAD_ASKED_HEAVY_MAX = 1;
export const SEARCH_HEAVY_MS = 10;
/** Callers of whom that is known, and searches of one that wait. */
export const SEARCH_CALLERS_KNOWN_MAX = 1_000;
export const SEARCHES_WAITING_PER_CALLER_MAX = 2_000;
/** A search over HTTP that no endpoint makes. */
export const SEARCH_TIMEOUT_MS = 30_000;
/** A search that is longer at work than its call may last ends with its thread, but not before. */
export const ENDPOINT_SEARCH_STUCK_MS = 1_000;
/** How far a run is leaves its worker so often at most. */
export const ENDPOINT_PROGRESS_EVERY_MS = 100;
/** For so long after they used too much memory together, calls of an endpoint are run one at a time in a worker. */
export const ENDPOINT_CROWDED_MS = 60_000;
