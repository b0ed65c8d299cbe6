/** The limits of what the log is kept for. Units last. See `limits.ts` for the others. */

/**
 * What the log keeps at most for an index that is behind, beyond the archive, and the room that must be left on the volume for commits
 * while it keeps anything for an index or a replica. An index is built anew then, a replica copies the graph.
 */
export const INDEX_LOG_HELD_BYTES_MAX = 4 * 1024 * 1024 * 1024;
export const LOG_HELD_ROOM_BYTES_MIN = 256 * 1024 * 1024;
/** Followers of the log that a process knows at a time: its indexes, backups, and replicas. */
export const FOLLOWERS_MAX = 128;
