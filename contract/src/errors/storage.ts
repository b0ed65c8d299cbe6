import type { ErrorGroup } from './entry.ts';

/** The storage, at the start and while the server runs. Most go to stderr and never over HTTP. */
export const storageErrors = {
  front_end_unreadable: {
    status: 500,
    title: 'Front end cannot be read',
    hint: 'Set TRELLIS_FRONT_END to a folder that this user may read, or to nothing.',
    internal: true,
  },
  storage_failed: {
    status: 503,
    title: 'Storage failed',
    hint: 'Try again later. An administrator finds the reason in the log, under the traceId.',
    retryAfterSeconds: 5,
    internal: true,
  },
  storage_full: {
    status: 507,
    title: 'Storage full',
    hint: 'An administrator must free disk space; then try again.',
    retryAfterSeconds: 60,
    internal: true,
  },
  storage_corrupt: {
    status: 500,
    title: 'Stored data damaged',
    hint: 'An administrator finds what is damaged in the log, under the traceId, and restores a backup.',
    internal: true,
  },
  log_database_unsuitable: {
    status: 500,
    title: 'Database cannot hold the commit log',
    hint: 'The log says what it lacks: version, rights, or a name that something else has.',
    internal: true,
  },
  member_name_taken: {
    status: 500,
    title: 'Name of a member taken',
    hint: 'Give each member a name of its own in MSK_MEMBER.',
    internal: true,
  },
  no_primary: {
    status: 503,
    title: 'No primary at the moment',
    hint: 'Try again in a second: another member takes over.',
    retryAfterSeconds: 1,
    internal: true,
  },
  log_trimmed: {
    status: 500,
    title: 'Commit log no longer reaches back',
    hint: 'The follower must start from a snapshot.',
    internal: true,
  },
  log_ahead: {
    status: 500,
    title: 'Follower is ahead of the commit log',
    hint: 'The follower has another history and must start from a snapshot.',
    internal: true,
  },
  log_corrupt: {
    status: 500,
    title: 'Commit log damaged',
    hint: 'Restore the newest backup into an empty folder.',
    internal: true,
  },
  state_log_mismatch: {
    status: 500,
    title: 'State and commit log do not belong together',
    hint: 'Restore a backup, in which both are of one history, into an empty folder.',
    internal: true,
  },
  piece_not_found: {
    status: 500,
    title: 'No such piece',
    hint: 'Ask for the pieces that the manifest of the snapshot names.',
    internal: true,
  },
  snapshot_corrupt: {
    status: 500,
    title: 'Snapshot damaged',
    hint: 'Take the snapshot again, or use another one.',
    internal: true,
  },
  storage_in_use: {
    status: 500,
    title: 'Storage folder in use',
    hint: 'Stop the other server, or give this one a folder of its own.',
    internal: true,
  },
  replica_unfinished: {
    status: 500,
    title: 'Replica was never complete',
    hint: 'Promote another replica, or empty the folder to begin a new workspace.',
    internal: true,
  },
  storage_not_empty: {
    status: 500,
    title: 'Storage folder not empty',
    hint: 'Restore into an empty folder.',
    internal: true,
  },
  store_format_unknown: {
    status: 500,
    title: 'Storage of another version',
    hint: 'Start the version that wrote the folder.',
    internal: true,
  },
  store_not_encrypted: {
    status: 500,
    title: 'Storage not encrypted',
    hint: 'Start without MSK_GRAPH_MASTER_KEY, or restore a backup with it.',
    internal: true,
  },
  missing_master_key: {
    status: 500,
    title: 'Storage encrypted, and no key',
    hint: 'Set MSK_GRAPH_MASTER_KEY to the key that the storage was first started with.',
    internal: true,
  },
  wrong_master_key: {
    status: 500,
    title: 'Wrong master key',
    hint: 'Set MSK_GRAPH_MASTER_KEY to the key that the storage was first started with.',
    internal: true,
  },
} as const satisfies ErrorGroup;
