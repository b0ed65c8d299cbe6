import type { ErrorGroup } from './entry.ts';

/** A request that cannot be taken as it is. */
export const requestErrors = {
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
  request_superseded: {
    status: 409,
    title: 'Request superseded',
    hint: 'Wait for the answer to the newer request of the same type.',
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
  body_too_complex: {
    status: 413,
    title: 'Body with too many values',
    hint: 'Stay below details.limitValues and details.limitDepth; ingest more than that as application/x-ndjson.',
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
  upgrade_required: {
    status: 426,
    title: 'WebSocket expected',
    hint: 'Open this path as a WebSocket, version 13.',
  },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    hint: 'Send fewer or shorter headers, or a shorter path.',
  },
} as const satisfies ErrorGroup;
