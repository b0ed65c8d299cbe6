import type { ErrorGroup } from './entry.ts';

/** Between a primary and its replicas. Most of them end a replica, and stand in its log. */
export const replicationErrors = {
  replication_not_authenticated: {
    status: 401,
    title: 'Replication not authenticated',
    hint: 'Primary and replica need the same MSK_JWT_KEY, and clocks that agree within five minutes.',
  },
  replication_master_key_differs: {
    status: 401,
    title: 'Other master key',
    hint: 'Primary and replica need the same MSK_GRAPH_MASTER_KEY, or none.',
  },
  replication_busy: {
    status: 503,
    title: 'Register again',
    hint: 'The primary has just started, or takes no more registrations for a while; if it goes on, compare the clocks.',
    retryAfterSeconds: 1,
  },
  replication_off: {
    status: 409,
    title: 'No replication here',
    hint: 'Set MSK_JWT_KEY on the primary and start it again.',
  },
  members_off: {
    status: 409,
    title: 'This server has no members',
    hint: 'Its log is in its folder; MSK_LOG puts the log into PostgreSQL.',
  },
  no_other_member: {
    status: 409,
    title: 'No other member',
    hint: 'Start another member, and ask again once GET /api/graph/members shows it.',
  },
  log_unreachable: {
    status: 503,
    title: 'PostgreSQL does not answer',
    hint: 'Check PostgreSQL and the way to it; reading goes on meanwhile.',
    retryAfterSeconds: 5,
  },
  replica_not_registered: {
    status: 403,
    title: 'Replica not registered',
    hint: 'Register it first: POST /api/replicas/register.',
  },
  replication_unavailable: {
    status: 503,
    title: 'Primary not reachable',
    hint: 'Open TCP port 42999 (MSK_REPLICATION_PORT) of the primary to its replicas.',
    internal: true,
  },
  replication_epoch_differs: {
    status: 409,
    title: 'Another history',
    hint: 'Start the replica again: it copies the primary that there is now.',
    internal: true,
  },
  replication_corrupt: {
    status: 500,
    title: 'Damaged on the way',
    hint: 'Check the network between primary and replica, and start the replica again.',
    internal: true,
  },
  replicas_differ: {
    status: 409,
    title: 'Replicas differ',
    hint: 'GET /api/replicas tells which; stop a replica that differs, and start it with an empty folder.',
  },
  verification_running: {
    status: 409,
    title: 'Replicas are being compared',
    hint: 'Ask again when the comparison that is under way has ended.',
  },
  read_only_replica: {
    status: 409,
    title: 'Read-only replica',
    hint: 'Send the change to the primary.',
  },
} as const satisfies ErrorGroup;
