/** The limits of endpoints: their runs, workers, answers and searches. Units last. */

/** Endpoint runs (open-shapes, section 5). */
export const ENDPOINT_HEAP_SOFT_BYTES = 192 * 1024 * 1024;
export const ENDPOINT_HEAP_HARD_MB = 768;
export const ENDPOINT_WATCHDOG_MS = 25;
export const ENDPOINT_CALLS_MAX = 1_000;
/** Unfinished calls of one caller. Calls that endpoints make do not count. */
export const ENDPOINT_CALLS_PER_CALLER_MAX = 300;
/** Callers that an endpoint worker remembers. */
export const ENDPOINT_CALLERS_KNOWN_MAX = 1_000;
/**
 * Items in one message to an endpoint worker. Fewer items keep it idle for a shorter time; more
 * items cost less.
 */
export const ENDPOINT_MESSAGE_ITEMS_MAX = 16;
export const ENDPOINT_CALL_DEPTH_MAX = 8;
export const ENDPOINT_RESULT_BYTES_MAX = 64 * 1024 * 1024;
/**
 * A worker whose guest code has not returned for this long gets no new calls, and another worker
 * takes its place.
 */
export const ENDPOINT_STALL_MS = 100;
/** Workers beyond the pool's size that may take the place of stalled ones. */
export const ENDPOINT_STALLED_WORKERS_MAX = 4;
/** Of these workers, the calls of one caller may take this many. */
export const ENDPOINT_STALLED_WORKERS_PER_CALLER_MAX = 2;
/** All that the code of one endpoint imports: each worker compiles it for each realm. */
export const IMPORTED_CHARACTERS_MAX = 4 * 1024 * 1024;
/**
 * A script of so many characters that endpoints import is compiled once for all realms of a worker,
 * which keeps the newest of them.
 */
export const SHARED_SCRIPT_CHARACTERS_MIN = 16 * 1024;
export const SHARED_SCRIPTS_CHARACTERS_MAX = 8 * 1024 * 1024;
/** Scripts of modules that the server has made: those of the newest texts stay. */
export const MODULE_SCRIPTS_CHARACTERS_MAX = 16 * 1024 * 1024;
/** Endpoint versions that one worker keeps loaded. */
export const ENDPOINT_REALMS_MAX = 128;
export const ENDPOINT_LOG_LINES_MAX = 1_000;
export const ENDPOINT_LOG_CHARACTERS_MAX = 8_192;
/** Log lines of endpoints that a server keeps in memory, and their characters. */
export const ENDPOINT_LOG_KEPT_LINES_MAX = 20_000;
export const ENDPOINT_LOG_KEPT_CHARACTERS_MAX = 16 * 1024 * 1024;
/** Lines that a watcher gets at a time. */
export const ENDPOINT_LOG_BATCH_LINES_MAX = 256;
/**
 * Endpoints of mode "pooling": a request waits this long for the end of its run, and is then
 * answered 202.
 */
export const ENDPOINT_POOLING_WAIT_MS = 300;
/**
 * Pooled runs hold no connection, so without this limit one caller could fill the server with them.
 */
export const ENDPOINT_POOLED_RUNS_PER_CALLER_MAX = 50;
/** Results that wait to be fetched are kept this long. */
export const ENDPOINT_RESULT_KEPT_MS = 300_000;
/**
 * For this long the same request gets the result without its key too. Then the number of results
 * that are kept, and their characters together.
 */
export const ENDPOINT_RESULT_JOINED_MS = 30_000;
export const ENDPOINT_RESULTS_KEPT_MAX = 10_000;
export const ENDPOINT_RESULTS_KEPT_CHARACTERS_MAX = 128 * 1024 * 1024;
/** Cached answers (`cacheSeconds`): characters of one, number of all, characters of all. */
export const ENDPOINT_CACHED_ANSWER_CHARACTERS_MAX = 4 * 1024 * 1024;
export const ENDPOINT_CACHED_ANSWERS_MAX = 10_000;
export const ENDPOINT_CACHED_CHARACTERS_MAX = 64 * 1024 * 1024;
/** The text of `progress()`. */
export const ENDPOINT_PROGRESS_CHARACTERS_MAX = 200;
/**
 * Requests of endpoint code to other servers: how many one run makes at a time, how long one may
 * take, and how many bytes its answer may have.
 */
export const ENDPOINT_REQUESTS_MAX = 16;
export const ENDPOINT_FETCH_TIMEOUT_MS = 30_000;
export const ENDPOINT_FETCH_BYTES_MAX = 16 * 1024 * 1024;
/** Secrets in one request, and what stands around one in a header. */
export const ENDPOINT_SECRETS_PER_REQUEST_MAX = 10;
export const ENDPOINT_SECRET_TEMPLATE_CHARACTERS_MAX = 200;
/** One answer names this many faults of a body (`export const input`). */
export const ENDPOINT_INPUT_FAULTS_MAX = 50;
/** The most characters of a body of a call that is recorded. */
export const RECORDED_INPUT_CHARACTERS_MAX = 64 * 1024;
/** Lines of one endpoint that say when the server runs it. */
export const ENDPOINT_RUN_LINES_MAX = 20;
/** The last runs of one endpoint that a server tells of. */
export const ENDPOINT_RECENT_CALLS_MAX = 50;
/**
 * The JSON Schema of what an endpoint takes: how long its code may take to make it, and how many
 * characters it may have.
 */
export const ENDPOINT_INPUT_SCHEMA_MS = 30_000;
export const ENDPOINT_INPUT_SCHEMA_CHARACTERS_MAX = 64 * 1024;
/** The file that keeps such schemas from one start to the next. */
export const ENDPOINT_INPUTS_KEPT_BYTES_MAX = 16 * 1024 * 1024;
/**
 * The JSON Schema of a type in the code of an endpoint: how many types it is made of, how deep they
 * stand in each other, and the characters of one description and of the whole.
 */
export const TYPE_SCHEMA_TYPES_MAX = 500;
export const TYPE_SCHEMA_DEPTH_MAX = 16;
export const TYPE_SCHEMA_DESCRIPTION_CHARACTERS_MAX = 400;
export const TYPE_SCHEMA_CHARACTERS_MAX = 32 * 1024;
/** How deep a JSON Schema is written as a type; it may come of `export const input`. */
export const TYPE_TEXT_DEPTH_MAX = 32;
/**
 * The private memory of the process of an endpoint worker, as the operating system counts it
 * (`RLIMIT_DATA`). 1.1 GB of it are stacks and unused room for machine code.
 */
export const ENDPOINT_PROCESS_DATA_KB_MAX = 2_304 * 1_024;
/** When the process does not answer for this long, its code counts as stuck. */
export const ENDPOINT_SILENT_MS = 5_000;
/** A worker that takes longer to open the state is ended: all that is written waits for it. */
export const ENDPOINT_OPENING_MS_MAX = 10_000;
/** One text between the server and the process of an endpoint worker. */
export const ENDPOINT_FRAME_BYTES_MAX = 512 * 1024 * 1024;
/** Threads that search for the code of endpoints. */
export const ENDPOINT_SEARCH_THREADS_MAX = 4;
/**
 * Searches that a thread is given at a time: usually, and of a caller whose searches take at least
 * this many milliseconds on average.
 */
export const SEARCH_THREAD_ASKED_MAX = 8;
export const SEARCH_THREAD_ASKED_HEAVY_MAX = 1;
export const SEARCH_HEAVY_MS = 10;
/** Callers whose average is remembered, and searches of one caller that wait. */
export const SEARCH_CALLERS_KNOWN_MAX = 1_000;
export const SEARCHES_WAITING_PER_CALLER_MAX = 2_000;
/** One search over HTTP that no endpoint makes. */
export const SEARCH_TIMEOUT_MS = 30_000;
/**
 * A search that runs longer than its call may last ends together with its thread, but not before
 * this time.
 */
export const ENDPOINT_SEARCH_STUCK_MS = 1_000;
/** A worker reports the progress of a run at most this often. */
export const ENDPOINT_PROGRESS_EVERY_MS = 100;
/**
 * When calls of an endpoint together have used too much memory, a worker runs them one at a time
 * for this long.
 */
export const ENDPOINT_CROWDED_MS = 60_000;
