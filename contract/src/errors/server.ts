import type { ErrorGroup } from './entry.ts';

/** The server as it is now. Faults of the license are told at the start, never over HTTP. */
export const serverErrors = {
  internal_error: {
    status: 500,
    title: 'Internal error',
    hint: 'Tell an administrator the traceId: the log has the reason under it.',
    internal: true,
  },
  not_ready: {
    status: 503,
    title: 'Not ready yet',
    hint: 'The graph is being loaded; GET /api/graph/ready answers true once it is.',
    retryAfterSeconds: 1,
  },
  too_many_connections: {
    status: 503,
    title: 'Too many connections',
    hint: 'Close connections that are not needed, or connect later.',
    retryAfterSeconds: 10,
  },
  bodies_in_flight: {
    status: 503,
    title: 'Too many large requests at a time',
    hint: 'Send it again after the seconds in the Retry-After header, and fewer large requests at a time.',
    retryAfterSeconds: 1,
  },
  replica_behind: {
    status: 503,
    title: 'Replica has not caught up',
    hint: 'Ask again after the seconds in the Retry-After header, or ask the primary.',
    retryAfterSeconds: 1,
  },
  server_stopping: {
    status: 503,
    title: 'Server is stopping',
    hint: 'Connect again: this server restarted, or another one, will answer.',
    retryAfterSeconds: 5,
  },
  log_file_not_found: {
    status: 404,
    title: 'Log file not found',
    hint: 'GET /api/graph/logs-files lists those there are.',
  },
  license_invalid: {
    status: 500,
    title: 'License not valid',
    hint: 'Set MSK_LICENSE to a license that the key in MSK_LICENSE_PUBLIC_KEY verifies.',
    internal: true,
  },
  license_expired: {
    status: 500,
    title: 'License expired',
    hint: 'Set MSK_LICENSE to a new license.',
    internal: true,
  },
  license_missing_feature: {
    status: 500,
    title: 'License does not cover this',
    hint: 'Set MSK_LICENSE to a license with the feature.',
    internal: true,
  },
} as const satisfies ErrorGroup;
