/** The limits of endpoints: their runs, workers, answers and searches. Units last. */

/** Endpoint runs (open-shapes, section 5). */
export const ENDPOINT_HEAP_SOFT_BYTES = 192 * 1024 * 1024;
export const ENDPOINT_HEAP_HARD_MB = 768;
export const ENDPOINT_WATCHDOG_MS = 25;
export const ENDPOINT_CALLS_MAX = 1_000;
/** Calls of one caller that are under way, without those that endpoints make. */
export const ENDPOINT_CALLS_PER_CALLER_MAX = 300;
/** Callers that an endpoint worker remembers. */
export const ENDPOINT_CALLERS_KNOWN_MAX = 1_000;
/** Items in one message to an endpoint worker: fewer leave it idle for shorter, more cost less. */
export const ENDPOINT_MESSAGE_ITEMS_MAX = 16;
export const ENDPOINT_CALL_DEPTH_MAX = 8;
export const ENDPOINT_RESULT_BYTES_MAX = 64 * 1024 * 1024;
/**
 * A worker whose guest gave nothing to do for so long gets no new calls, and another worker takes
 * its place.
 */
export const ENDPOINT_STALL_MS = 100;
/** Workers beyond the pool's size that may take the place of stalled ones. */
export const ENDPOINT_STALLED_WORKERS_MAX = 4;
/** Those of them that the calls of one caller may take. */
export const ENDPOINT_STALLED_WORKERS_PER_CALLER_MAX = 2;
/** Endpoint versions that one worker keeps loaded. */
export const ENDPOINT_REALMS_MAX = 128;
export const ENDPOINT_LOG_LINES_MAX = 1_000;
export const ENDPOINT_LOG_CHARACTERS_MAX = 8_192;
/** Lines of endpoints that a server keeps to be looked at, and their characters. */
export const ENDPOINT_LOG_KEPT_LINES_MAX = 20_000;
export const ENDPOINT_LOG_KEPT_CHARACTERS_MAX = 16 * 1024 * 1024;
/** Lines that a watcher is given at a time. */
export const ENDPOINT_LOG_BATCH_LINES_MAX = 256;
/**
 * Endpoints of mode "pooling": how long one request waits for the end of a run before it is
 * answered 202.
 */
export const ENDPOINT_POOLING_WAIT_MS = 300;
/** They hold no connection: so one caller could fill the server with them. */
export const ENDPOINT_POOLED_RUNS_PER_CALLER_MAX = 50;
/** Results that wait to be fetched: for how long; how many, and their characters together. */
export const ENDPOINT_RESULT_KEPT_MS = 300_000;
/** For so long also by the same request without its key. */
export const ENDPOINT_RESULT_JOINED_MS = 30_000;
export const ENDPOINT_RESULTS_KEPT_MAX = 10_000;
export const ENDPOINT_RESULTS_KEPT_CHARACTERS_MAX = 128 * 1024 * 1024;
/** Answers that are given again (`cacheSeconds`): one, how many, and their characters together. */
export const ENDPOINT_CACHED_ANSWER_CHARACTERS_MAX = 4 * 1024 * 1024;
export const ENDPOINT_CACHED_ANSWERS_MAX = 10_000;
export const ENDPOINT_CACHED_CHARACTERS_MAX = 64 * 1024 * 1024;
/** The text of `progress()`. */
export const ENDPOINT_PROGRESS_CHARACTERS_MAX = 200;
/** Requests of endpoint code to other servers: of one run at a time, how long and large one is. */
export const ENDPOINT_REQUESTS_MAX = 16;
export const ENDPOINT_FETCH_TIMEOUT_MS = 30_000;
export const ENDPOINT_FETCH_BYTES_MAX = 16 * 1024 * 1024;
/** Faults of a body that one answer names (`export const input`). */
export const ENDPOINT_INPUT_FAULTS_MAX = 50;
/** Bodies of calls that are kept for one endpoint, and the length of each. */
export const RECORDED_INPUT_CHARACTERS_MAX = 64 * 1024;
/**
 * The JSON Schema of what an endpoint takes: how long its code has to say it, and how long it may
 * be.
 */
export const ENDPOINT_INPUT_SCHEMA_MS = 30_000;
export const ENDPOINT_INPUT_SCHEMA_CHARACTERS_MAX = 64 * 1024;
/**
 * Private memory that the process of an endpoint worker may have, as the operating system counts it
 * (`RLIMIT_DATA`): 1.1 GB of it are stacks and room for machine code that nothing is in.
 */
export const ENDPOINT_PROCESS_DATA_KB_MAX = 2_304 * 1_024;
/** A process that does not answer for so long counts as one whose code does not come back. */
export const ENDPOINT_SILENT_MS = 5_000;
/** One text between the server and the process of an endpoint worker. */
export const ENDPOINT_FRAME_BYTES_MAX = 512 * 1024 * 1024;
/** Threads that search for the code of endpoints. */
export const ENDPOINT_SEARCH_THREADS_MAX = 4;
/**
 * Searches that a thread has before it at a time; and of a caller whose searches take so long on
 * average, milliseconds.
 */
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
/**
 * For so long after they used too much memory together, calls of an endpoint are run one at a time
 * in a worker.
 */
export const ENDPOINT_CROWDED_MS = 60_000;
