/** Every limit of replication, by name; units last. See `limits.ts` for the others. */

/**
 * How often a replica reports (specification, section 8), and after which silence the primary
 * forgets it.
 */
export const REPLICA_REPORT_INTERVAL_MS = 250;
export const REPLICA_DROP_MS = 600_000;
/** A replica that receives nothing reports too, so that it is not forgotten. */
export const REPLICA_IDLE_REPORT_INTERVAL_MS = 30_000;
/**
 * Replicas that are registered at a time. One more makes the primary forget the one that has been
 * silent for longest.
 */
export const REPLICAS_MAX = 100;
/**
 * Commits of a moment go to replicas and members together: to take in each by itself costs them as
 * much processor as the commit. A commit after a pause waits for none.
 */
export const FOLLOWER_GATHER_INTERVAL_MS = 10;
/** Records are merged into chunks of at most this size. A larger record is a chunk of its own. */
export const REPLICATION_CHUNK_BYTES_MAX = 2 * 1024 * 1024;
export const REPLICATION_CHUNK_RECORDS_MAX = 4_096;
/** One message on the wire, and messages that are handed to the connection but not sent yet. */
export const REPLICATION_FRAME_BYTES_MAX = 256 * 1024;
export const REPLICATION_FRAMES_IN_FLIGHT_MAX = 4;
/** Bytes under way to a replica that it has not taken: the window of HTTP/2. */
export const REPLICATION_WINDOW_BYTES = 4 * 1024 * 1024;
/** Pieces that one call may ask for. */
export const REPLICATION_PIECES_PER_CALL_MAX = 1_024;
/**
 * One message to the primary, which may come from anybody; and the calls of one connection at a
 * time.
 */
export const REPLICATION_REQUEST_BYTES_MAX = 64 * 1024;
export const REPLICATION_CALLS_MAX = 32;
/** A snapshot is held this long for a replica that takes nothing of it. */
export const REPLICATION_SNAPSHOT_IDLE_MS = 300_000;
/**
 * The pieces of the newest snapshot stay this long after the last copy, for replicas that join
 * later.
 */
export const SNAPSHOT_SPOOL_IDLE_MS = 600_000;
/** A snapshot for replicas leaves this much room on the volume for commits, which may be large. */
export const SNAPSHOT_ROOM_BYTES_MIN = 256 * 1024 * 1024;
/** Handshakes that are not finished. */
export const REPLICATION_CHALLENGES_MAX = 1_000;
export const REPLICATION_HANDSHAKE_TIMEOUT_MS = 10_000;
/** A connection without a call is closed after this time. */
export const REPLICATION_CONNECTION_IDLE_MS = 30_000;
/**
 * After this much silence a connection is tested with a ping. It is given up when no answer comes
 * in the second time.
 */
export const REPLICATION_KEEPALIVE_MS = 10_000;
export const REPLICATION_KEEPALIVE_TIMEOUT_MS = 20_000;
/** Notices that wait for a slow replica. */
export const REPLICATION_NOTICES_WAITING_MAX = 1_000;
/** The clocks of two machines may differ by this much when a replica registers. */
export const REPLICA_REGISTRATION_AGE_MAX_MS = 5 * 60_000;
/**
 * Registrations are remembered while their time is within that, so that each is valid only once.
 * When this many are remembered, no more are taken.
 */
export const REPLICA_REGISTRATIONS_REMEMBERED_MAX = 10_000;
/**
 * The log gets this many lines about refused connections in one span of time. Further ones are
 * counted, and logged together at its end.
 */
export const REPLICATION_REFUSALS_LOGGED_MAX = 10;
export const REPLICATION_REFUSALS_SPAN_MS = 60_000;
export const REPLICA_REGISTRATION_TIMEOUT_MS = 10_000;
/** Files of the front end that a replica asks for at a time. It holds them in memory meanwhile. */
export const FRONT_END_FILES_PER_FETCH_MAX = 256;
/**
 * A replica whose primary is away tries again after this time, and after twice as long each further
 * time.
 */
export const REPLICA_RETRY_DELAY_MIN_MS = 250;
export const REPLICA_RETRY_DELAY_MAX_MS = 5_000;
/**
 * When the connection of a starting replica breaks, the start goes on if it is back within this
 * time, and fails otherwise.
 */
export const REPLICA_REJOIN_TIMEOUT_MS = 10_000;
/**
 * A comparison of replicas with their primary: how long they may stop applying, and how long
 * reading may take.
 */
export const REPLICA_VERIFY_HOLD_MS = 10_000;
export const REPLICA_VERIFY_READ_MS = 10 * 60_000;
/** How often late replicas, handshakes and snapshots are looked for. */
export const REPLICATION_SWEEP_INTERVAL_MS = 5_000;
