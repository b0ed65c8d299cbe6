import { z } from 'zod';

/** One code: its HTTP status, a title for documentation, and what the caller can do about it. */
export interface CatalogueEntry {
  readonly status: number;
  readonly title: string;
  readonly hint: string;
  /** Sent as `Retry-After` unless the problem's details name another number of seconds. */
  readonly retryAfterSeconds?: number;
}

/**
 * The error catalogue: every `code` that an error body can carry (open-shapes, section 2). Codes are stable; a problem's
 * own hint goes before the one given here.
 */
export const errorCatalogue = {
  // The request itself.
  malformed_request: {
    status: 400,
    title: 'Malformed HTTP request',
    hint: 'Send a well-formed HTTP/1.1 request: method, path, Host header.',
  },
  malformed_json: {
    status: 400,
    title: 'Malformed JSON',
    hint: 'Send valid JSON, or check that the body was not cut short.',
  },
  malformed_encoding: {
    status: 400,
    title: 'Broken compressed body',
    hint: 'Send the complete gzip stream that Content-Encoding announces.',
  },
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    hint: 'Correct the fields named in details.fields.',
  },
  token_in_query: {
    status: 400,
    title: 'Token in the query string',
    hint: 'Send the token in the header "Authorization: Bearer <token>"; query strings end up in logs.',
  },
  route_not_found: {
    status: 404,
    title: 'Unknown route',
    hint: 'Compare method and path with the API reference.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    hint: 'Use one of the methods in the Allow header.',
  },
  request_timeout: {
    status: 408,
    title: 'Request took too long to arrive',
    hint: 'Send the request again, without pauses.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    hint: 'Stay below details.limitBytes; ingest more than that as application/x-ndjson.',
  },
  line_too_large: {
    status: 413,
    title: 'Line of an NDJSON stream too large',
    hint: 'Write one operation a line, each below details.limitBytes.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    hint: 'Send one of the content types in details.supported.',
  },
  unsupported_encoding: {
    status: 415,
    title: 'Unsupported content encoding',
    hint: 'Send the body in one of the encodings in details.supported.',
  },
  expectation_failed: {
    status: 417,
    title: 'Unsupported expectation',
    hint: 'The only Expect header understood is "100-continue".',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    hint: 'Send fewer or shorter headers, or a shorter path.',
  },

  // Who is asking.
  missing_token: {
    status: 401,
    title: 'No token',
    hint: 'Send the header "Authorization: Bearer <token>"; sign in with POST /api/login/create.',
  },
  invalid_token: {
    status: 401,
    title: 'Token not valid',
    hint: 'The token is expired, revoked or signed with another key: sign in again or issue a new one.',
  },
  invalid_credentials: {
    status: 401,
    title: 'Wrong user or password',
    hint: 'Check the user name and the password.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    hint: 'An administrator can grant the role or the scope that details names.',
  },
  wrong_password: {
    status: 422,
    title: 'Old password wrong',
    hint: 'Give the current password as oldPassword.',
  },
  weak_password: {
    status: 422,
    title: 'Password too weak',
    hint: 'Choose at least 10 characters.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    hint: 'Wait for the seconds in the Retry-After header.',
    retryAfterSeconds: 60,
  },

  // The graph.
  node_not_found: {
    status: 404,
    title: 'Node not found',
    hint: 'It does not exist, or you may not see it.',
  },
  schema_conflict: {
    status: 409,
    title: 'Schema change would lose data',
    hint: 'A schema can only grow: add types and fields, or widen a field type.',
  },
  version_conflict: {
    status: 409,
    title: 'Changed in the meantime',
    hint: 'Read the node again and repeat the change on its new version.',
  },
  invalid_operation: {
    status: 422,
    title: 'Operation cannot be applied',
    hint: 'Correct the operation at position details.index; nothing of its commit was applied.',
  },
  invalid_query: {
    status: 400,
    title: 'Query cannot be run',
    hint: 'Compare types, edges, fields and operators with the schema.',
  },

  // Custom endpoints.
  endpoint_not_found: {
    status: 404,
    title: 'Endpoint not found',
    hint: 'GET /api/endpoints lists the endpoints there are.',
  },
  endpoint_exists: {
    status: 409,
    title: 'Endpoint exists',
    hint: 'Change it with PUT /api/endpoints/{name}, or choose another name.',
  },
  not_read_only: {
    status: 422,
    title: 'Endpoint is not read-only',
    hint: 'Remove the writes named in details.diagnostics, or leave isReadOnly off.',
  },
  endpoint_not_compiled: {
    status: 422,
    title: 'Endpoint does not compile',
    hint: 'Its definition lists the diagnostics; save code that compiles.',
  },
  endpoint_failed: {
    status: 500,
    title: 'Endpoint failed',
    hint: 'The code of the endpoint threw; an administrator sees why.',
  },
  endpoint_overloaded: {
    status: 503,
    title: 'Endpoint overloaded',
    hint: 'Repeat the call after the seconds in the Retry-After header.',
    retryAfterSeconds: 1,
  },
  endpoint_timeout: {
    status: 504,
    title: 'Endpoint took too long',
    hint: 'Let it do less, raise its timeoutMs, or give it the mode "pooling".',
  },

  // The server.
  internal_error: {
    status: 500,
    title: 'Internal error',
    hint: 'Tell an administrator the traceId: the log has the reason under it.',
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
  storage_failed: {
    status: 503,
    title: 'Storage failed',
    hint: 'Nothing was written. An administrator finds the reason in the log.',
    retryAfterSeconds: 5,
  },
  storage_full: {
    status: 507,
    title: 'Storage full',
    hint: 'Nothing was written. An administrator must free disk space.',
    retryAfterSeconds: 60,
  },
  log_trimmed: {
    status: 500,
    title: 'Commit log no longer reaches back',
    hint: 'The follower must start from a snapshot.',
  },
  log_ahead: {
    status: 500,
    title: 'Follower is ahead of the commit log',
    hint: 'The follower has another history and must start from a snapshot.',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type ErrorCode = keyof typeof errorCatalogue;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorCatalogue, code);
}

/** The body of every answer with a status from 400 up (open-shapes, section 2). */
export const errorBody = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string(),
    hint: z.string().optional(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
  traceId: z.string(),
});

export type ErrorBody = z.infer<typeof errorBody>;

/** `details` of `invalid_request`. */
export const invalidRequestDetails = z.object({
  fields: z.array(z.object({ path: z.string(), message: z.string() })),
});
