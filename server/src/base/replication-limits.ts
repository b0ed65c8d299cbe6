/** Every limit of replication, by name; units last. See `limits.ts` for the others. */

/**
 * Replication (specification, section 8): how often a replica reports, and when the primary forgets
 * one.
 */
export const REPLICA_REPORT_INTERVAL_MS = 250;
export const REPLICA_DROP_MS = 600_000;
/** A replica that receives nothing reports too, so that it is not forgotten. */
export const REPLICA_IDLE_REPORT_INTERVAL_MS = 30_000;
/** Registered at a time; beyond it the one that has been silent for longest is forgotten. */
export const REPLICAS_MAX = 100;
/** Records that are merged into one chunk; a larger record is a chunk of its own. */
export const REPLICATION_CHUNK_BYTES_MAX = 2 * 1024 * 1024;
export const REPLICATION_CHUNK_RECORDS_MAX = 4_096;
/** One message on the wire, and those that are handed to the connection and not yet sent. */
export const REPLICATION_FRAME_BYTES_MAX = 256 * 1024;
export const REPLICATION_FRAMES_IN_FLIGHT_MAX = 4;
/** Bytes on their way to a replica that it has not taken: HTTP/2's window. */
export const REPLICATION_WINDOW_BYTES = 4 * 1024 * 1024;
/** Pieces asked for in one call. */
export const REPLICATION_PIECES_PER_CALL_MAX = 1_024;
/**
 * One message to the primary, which reads them of strangers too; and the calls of one connection at
 * a time.
 */
export const REPLICATION_REQUEST_BYTES_MAX = 64 * 1024;
export const REPLICATION_CALLS_MAX = 32;
/** How long a snapshot is held for a replica that takes nothing of it. */
export const REPLICATION_SNAPSHOT_IDLE_MS = 300_000;
/**
 * Pieces of the newest snapshot stay for replicas that join later, for so long after the last copy.
 */
export const SNAPSHOT_SPOOL_IDLE_MS = 600_000;
/** Room that a snapshot for replicas leaves on the volume: for commits, which may be large. */
export const SNAPSHOT_ROOM_BYTES_MIN = 256 * 1024 * 1024;
/** Handshakes begun and not ended. */
export const REPLICATION_CHALLENGES_MAX = 1_000;
export const REPLICATION_HANDSHAKE_TIMEOUT_MS = 10_000;
/** A connection without a call is closed after so long. */
export const REPLICATION_CONNECTION_IDLE_MS = 30_000;
/** A connection is tried with a ping after so much silence, and given up without an answer. */
export const REPLICATION_KEEPALIVE_MS = 10_000;
export const REPLICATION_KEEPALIVE_TIMEOUT_MS = 20_000;
/** Notices that wait for a replica which does not take them. */
export const REPLICATION_NOTICES_WAITING_MAX = 1_000;
/** Clocks of two machines may differ by so much, when a replica registers. */
export const REPLICA_REGISTRATION_AGE_MAX_MS = 5 * 60_000;
/**
 * Registrations that are remembered while their time is within that, so that each is good once;
 * beyond, none is taken.
 */
export const REPLICA_REGISTRATIONS_REMEMBERED_MAX = 10_000;
/**
 * Lines of the log about strangers in one span of time; more are counted, and told together at its
 * end.
 */
export const REPLICATION_REFUSALS_LOGGED_MAX = 10;
export const REPLICATION_REFUSALS_SPAN_MS = 60_000;
export const REPLICA_REGISTRATION_TIMEOUT_MS = 10_000;
/** Files of the front end that a replica asks for at a time, and holds in memory meanwhile. */
export const FRONT_END_FILES_PER_FETCH_MAX = 256;
/** A replica whose primary is away tries again after so long, each time twice as long. */
export const REPLICA_RETRY_DELAY_MIN_MS = 250;
export const REPLICA_RETRY_DELAY_MAX_MS = 5_000;
/** For so long a connection that broke may be away before a replica that starts is ready. */
export const REPLICA_REJOIN_TIMEOUT_MS = 10_000;
/**
 * A comparison of replicas with their primary: how long they stop applying at most, and how long
 * reading may take.
 */
export const REPLICA_VERIFY_HOLD_MS = 10_000;
export const REPLICA_VERIFY_READ_MS = 10 * 60_000;
/** How often replicas, handshakes and snapshots are looked through for those that are late. */
export const REPLICATION_SWEEP_INTERVAL_MS = 5_000;
