/** The limits of backups. Units last. */

/** Pieces that are written to a target, or read from one, at a time. */
export const BACKUP_TRANSFERS_MAX = 4;
/**
 * From this size of the graph file on, a second thread reads it. For a smaller one, starting the
 * thread takes longer than it saves.
 */
export const BACKUP_SECOND_READER_BYTES_MIN = 16 * 1024 * 1024;
/** Pieces that the second thread may have read before the first one takes them. */
export const BACKUP_PIECES_AHEAD_MAX = 2;
/** One file of archived commits, before encryption; a single commit may be larger. */
export const BACKUP_LOG_FILE_BYTES_MAX = 8 * 1024 * 1024;
/**
 * A restore reads the pieces of an earlier backup and all commits since. So a backup reuses these
 * pieces only while the commits take at most this share of the state, or this many bytes, in at
 * most this many files.
 */
export const BACKUP_COMMITS_SHARE_MAX = 1 / 16;
export const BACKUP_COMMITS_BYTES_MIN = 256 * 1024;
export const BACKUP_COMMITS_FILES_MAX = 100;
/**
 * The log keeps at most this much more for the next backup, as long as this much room is left on
 * the volume.
 */
export const BACKUP_LOG_HELD_BYTES_MAX = 4 * 1024 * 1024 * 1024;
export const BACKUP_LOG_HELD_ROOM_BYTES_MIN = 4 * 1024 * 1024 * 1024;
/** How often that room is checked. */
export const BACKUP_LOG_LOOK_INTERVAL_MS = 5_000;
/**
 * How long a backup waits until the log can be read up to the commit of the state: the writer
 * publishes the log a moment later.
 */
export const BACKUP_LOG_REACH_MS = 10_000;
/** The most backups that one rule of retention may keep. */
export const BACKUPS_KEPT_MAX = 10_000;
/**
 * Tries of one request to an object store; the first pause between two tries, which doubles; how
 * long one try may take.
 */
export const BACKUP_S3_TRIES_MAX = 5;
export const BACKUP_S3_PAUSE_MS = 250;
export const BACKUP_S3_TIMEOUT_MS = 120_000;
/** The backup thread ends after this long without work. */
export const BACKUP_THREAD_IDLE_MS = 60_000;
/**
 * In an object store, a claim lasts this long unless it is renewed, and is renewed this often. A
 * request that begins while the claim holds may take its whole timeout, so the last write begins
 * that much earlier.
 */
export const BACKUP_LEASE_MS = 300_000;
export const BACKUP_LEASE_RENEWAL_MS = 45_000;
/**
 * Where the store cannot decide between several claims, each claimant waits this long to see the
 * others.
 */
export const BACKUP_LEASE_SETTLING_MS = 5_000;
/** Tries to claim while others claim and release. */
export const BACKUP_LEASE_TRIES_MAX = 3;
