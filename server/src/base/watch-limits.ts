/** The limits of watched endpoints (open-shapes, section 11). Units last. */

/** Watches of one server, and of one caller: nobody takes all of them. */
export const WATCHES_MAX = 12_000;
export const WATCHES_PER_CALLER_MAX = 10_000;
/** Different questions that are watched: an endpoint, with a body, as a caller. */
export const WATCHED_QUESTIONS_MAX = 4_000;
export const WATCHED_QUESTIONS_PER_CALLER_MAX = 2_000;
/** Answers to a question in any second; one whose changes do not cease has them evenly spread. */
export const WATCH_ANSWERS_PER_SECOND_MAX = 4;
/** Runs of watches at a time. Calls go on beside them. */
export const WATCH_RUNS_MAX = 8;
/** After a run that could not be carried out, the next waits this long, then twice as long. */
export const WATCH_RETRY_MS = 1_000;
export const WATCH_RETRY_MAX_MS = 30_000;
/** Keys and ranges that a watch has read and that wake it one by one; beyond, it is their types. */
export const WATCH_POINTS_MAX = 512;
export const WATCH_RANGES_MAX = 64;
/** An answer that is watched, as JSON text. */
export const WATCH_VALUE_CHARACTERS_MAX = 4 * 1024 * 1024;
/** Answers that are kept for whoever joins: characters of one, and of all. */
export const WATCH_VALUES_KEPT_CHARACTERS_MAX = 64 * 1024 * 1024;
/** Bytes of answers on their way to those who watch. */
export const WATCH_UNSENT_BYTES_MAX = 256 * 1024 * 1024;
/** Questions that nobody watches any more, of which it is known whether the answer has changed. */
export const WATCH_MARKS_MAX = 10_000;
/** Commits that are looked through for whoever comes back after a sequence. */
export const WATCH_LOOKED_BACK_COMMITS_MAX = 10_000;
export const WATCH_LOOKED_BACK_BYTES_MAX = 64 * 1024 * 1024;
/** An answer that takes longer than this comes as an event of a stream that is open already. */
export const WATCH_OPENED_AFTER_MS = 10_000;
export const WATCH_PING_MS = 15_000;
/** Keys of newest commits that are known to those who begin to watch; twice. */
export const WATCH_WRITTEN_KEYS_MAX = 50_000;
