import type { ErrorGroup } from './entry.ts';

/** Of the server as it is now. */
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
  not_supported: {
    status: 501,
    title: 'Not supported by this version',
    hint: 'Compare the release notes of this version.',
  },
} as const satisfies ErrorGroup;
