/** The limits of traces of endpoint calls. Units last. */

/** Spans of one trace; what is beyond them is counted. */
export const TRACE_SPANS_MAX = 200;
/** Of these, log lines. */
export const TRACE_LOG_SPANS_MAX = 50;
/** The text of a span. */
export const TRACE_TEXT_CHARACTERS_MAX = 300;
/** Queries that are kept until their call ends, to name their steps: characters of one, of all. */
export const TRACE_QUERY_CHARACTERS_MAX = 16 * 1024;
export const TRACE_QUERIES_CHARACTERS_MAX = 64 * 1024;
/**
 * Reads that a worker notes at once, should its code not come back: the newest of all its calls,
 * the bytes of one, and the characters of a query in it.
 */
export const TRACE_NOTES_MAX = 128;
export const TRACE_NOTE_BYTES_MAX = 2_048;
export const TRACE_NOTE_QUERY_CHARACTERS_MAX = 512;
/** What workers tell of one call and of those that it runs. */
export const TRACE_TOLD_CHARACTERS_MAX = 512 * 1024;
/** So long after its begin a call that goes on tells what it has read; then the time doubles. */
export const TRACE_TELL_MS = 200;
/** The body of a call that is kept with its trace. */
export const TRACE_INPUT_CHARACTERS_MAX = 64 * 1024;
/** A call that takes this long is traced whether it is sampled or not. */
export const TRACE_SLOW_MS = 1_000;
/** The first calls of an endpoint in each minute are traced. */
export const TRACE_FIRST_CALLS = 5;
export const TRACE_FIRST_CALLS_MS = 60_000;
/** Traces that are kept: of one endpoint, and the characters of these and of all. */
export const TRACES_KEPT_MAX = 50;
export const TRACES_KEPT_CHARACTERS_MAX = 2 * 1024 * 1024;
export const ALL_TRACES_KEPT_CHARACTERS_MAX = 32 * 1024 * 1024;
/** A profile of a call: how long the call may take, and how soon before that the profile ends. */
export const PROFILE_MS_MAX = 60_000;
export const PROFILE_ENDS_BEFORE_MS = 500;
