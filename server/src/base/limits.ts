/** Every limit of the server, by name; units last. Those of the specification's section 8 say so. */

/** Operations in one atomic ingest commit (open-shapes, section 4). */
export const INGEST_COMMIT_OPERATIONS_MAX = 10_000;

/** Log archive kept behind the applied sequence (specification, section 8). */
export const LOG_ARCHIVE_TTL_MS = 600_000;
export const LOG_ARCHIVE_BYTES_MAX = 256 * 1024 * 1024;
export const LOG_ARCHIVE_LOW_MEMORY_TTL_MS = 30_000;
export const LOG_ARCHIVE_LOW_MEMORY_BYTES_MAX = 1024 * 1024;

/** A key of a node, in UTF-8 bytes. */
export const NODE_KEY_BYTES_MAX = 1_024;
/** One node with all its fields, encoded. */
export const NODE_RECORD_BYTES_MAX = 16 * 1024 * 1024;
export const SCHEMA_TYPES_MAX = 10_000;
export const SCHEMA_FIELDS_PER_TYPE_MAX = 1_000;

/** Lists (open-shapes, section 2). */
export const LIST_TAKE_MAX = 1_000;
export const LIST_TAKE_DEFAULT = 50;

export const JSON_BODY_BYTES_MAX = 16 * 1024 * 1024;
/** One line of an NDJSON stream; the stream itself has no limit. */
export const NDJSON_LINE_BYTES_MAX = 16 * 1024 * 1024;

export const STOP_GRACE_MS = 10_000;
/** How long a request with X-MSK-Min-Sequence waits for it (open-shapes, section 2). */
export const MIN_SEQUENCE_WAIT_MS = 2_000;

/** Sign-in (open-shapes, section 3). */
export const SESSION_LIFETIME_MS = 12 * 60 * 60 * 1_000;
export const PASSWORD_CHARACTERS_MIN = 10;
export const PASSWORD_CHARACTERS_MAX = 1_024;
export const LOGIN_FAILURES_MAX = 5;
export const LOGIN_FAILURES_WINDOW_MS = 60_000;

/** Endpoint runs (open-shapes, section 5). */
export const ENDPOINT_TIMEOUT_DEFAULT_MS = 30_000;
export const ENDPOINT_TIMEOUT_MAX_MS = 600_000;
export const ENDPOINT_HEAP_SOFT_BYTES = 192 * 1024 * 1024;
export const ENDPOINT_HEAP_HARD_MB = 4_096;
export const ENDPOINT_WATCHDOG_MS = 25;
export const ENDPOINT_CODE_BYTES_MAX = 512 * 1024;
export const ENDPOINT_NAME_CHARACTERS_MAX = 200;
export const ENDPOINT_QUEUE_MAX = 1_000;
export const ENDPOINT_CALL_DEPTH_MAX = 8;
export const ENDPOINT_RESULT_BYTES_MAX = 64 * 1024 * 1024;
