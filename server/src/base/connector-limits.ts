/** Sources that are read at the same time, each in a process of its own; other runs wait. */
export const CONNECTOR_RUNS_AT_ONCE = 2;
/** Sources that are tried at the same time; whoever asks for more is refused. */
export const CONNECTOR_TESTS_AT_ONCE = 4;
/** Comparisons of access at the same time; whoever asks for more is refused. */
export const CONNECTOR_ACCESS_READS_AT_ONCE = 4;
export const CONNECTOR_ACCESS_TIMEOUT_MS = 30_000;
/** Users, and groups, of one thing that are compared. */
export const CONNECTOR_READERS_COMPARED_MAX = 1_000;
export const CONNECTOR_TEST_TIMEOUT_MS = 30_000;
export const CONNECTOR_RUN_TIMEOUT_MS = 6 * 3_600_000;
/** Of the process that reads a source. */
export const CONNECTOR_MEMORY_BYTES_MAX = 1_024 * 1024 * 1024;
export const CONNECTOR_HEAP_MB_MAX = 640;
export const CONNECTOR_MEMORY_CHECK_MS = 50;
/** Bytes that one run reads over HTTP, or of files on the disk. */
export const CONNECTOR_SOURCE_BYTES_MAX = 4 * 1024 * 1024 * 1024;
/** Of what a source says that is shown: a message, and the name of a row. */
export const CONNECTOR_MESSAGE_CHARACTERS_MAX = 500;
export const CONNECTOR_ROW_CHARACTERS_MAX = 120;
/** Rows that a run has changed, and such that were refused, that are kept with it. */
export const CONNECTOR_CHANGES_KEPT = 50;
export const CONNECTOR_REJECTED_KEPT = 20;
