/** Of its thread's time, what a scrub works; it rests for the others. */
export const SCRUB_WORK_SHARE = 0.1;
/** Entries of the state that are looked at between two rests: its transaction is held for as long. */
export const SCRUB_ENTRIES_AT_A_TIME = 2_000;
/** Of the log, and of a file, between two rests. */
export const SCRUB_BYTES_AT_A_TIME = 1024 * 1024;
/** Damages that a scrub names; it counts the others. */
export const SCRUB_DAMAGES_NAMED_MAX = 50;
