/** The limits of backups. Units last. */

/** Pieces that are written to a target, or read from one, at a time. */
export const BACKUP_TRANSFERS_MAX = 4;
/**
 * The size of the graph's file from which on a second thread reads it: below, the thread takes
 * longer to start than it saves.
 */
export const BACKUP_SECOND_READER_BYTES_MIN = 16 * 1024 * 1024;
/** Pieces that the second thread has read and the first has not taken. */
export const BACKUP_PIECES_AHEAD_MAX = 2;
/** One file of archived commits, before encryption; a single commit may be larger. */
export const BACKUP_LOG_FILE_BYTES_MAX = 8 * 1024 * 1024;
/**
 * A backup has the pieces of an earlier one as long as the commits since take no more room than
 * this share of the state, or than so many bytes, in no more files: a restore reads them all.
 */
export const BACKUP_COMMITS_SHARE_MAX = 1 / 16;
export const BACKUP_COMMITS_BYTES_MIN = 256 * 1024;
export const BACKUP_COMMITS_FILES_MAX = 100;
/**
 * What the log keeps at most for the next backup, beyond what it keeps anyway, and the room that
 * must be left for that.
 */
export const BACKUP_LOG_HELD_BYTES_MAX = 4 * 1024 * 1024 * 1024;
export const BACKUP_LOG_HELD_ROOM_BYTES_MIN = 4 * 1024 * 1024 * 1024;
/** How often that is looked at. */
export const BACKUP_LOG_LOOK_INTERVAL_MS = 5_000;
/**
 * How long a backup waits for the log to be readable up to what the state shows: the writer
 * publishes it a moment later.
 */
export const BACKUP_LOG_REACH_MS = 10_000;
/** How many backups may be kept by a rule. */
export const BACKUPS_KEPT_MAX = 10_000;
/**
 * Tries of a request to a store of objects, the first pause between two, which doubles, and how
 * long one try may take.
 */
export const BACKUP_S3_TRIES_MAX = 5;
export const BACKUP_S3_PAUSE_MS = 250;
export const BACKUP_S3_TIMEOUT_MS = 120_000;
/** How long the thread that works on backups stays once it has nothing to do. */
export const BACKUP_THREAD_IDLE_MS = 60_000;
/**
 * In a store of objects: how long a claim lasts that is not renewed, and how often it is. A request
 * that was begun while it could be trusted may take its timeout, so nothing is written after that
 * much less.
 */
export const BACKUP_LEASE_MS = 300_000;
export const BACKUP_LEASE_RENEWAL_MS = 45_000;
/**
 * How long whoever claims waits for others to be heard of, where the store cannot decide between
 * them.
 */
export const BACKUP_LEASE_SETTLING_MS = 5_000;
/** Claims that are tried while others come and go. */
export const BACKUP_LEASE_TRIES_MAX = 3;
