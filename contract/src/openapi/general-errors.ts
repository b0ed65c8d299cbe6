import type { ErrorCode } from '../errors.ts';
import type { Operation } from '../operation.ts';

/** Answers to whatever is sent, before the server knows what it is. */
const CONNECTION: readonly ErrorCode[] = [
  'malformed_request',
  'request_timeout',
  'expectation_failed',
  'headers_too_large',
  'too_many_connections',
  'server_stopping',
  'internal_error',
];
/** Answers to a request that must pass the gate. */
const GATE: readonly ErrorCode[] = [
  'not_ready',
  'replica_behind',
  'invalid_request',
  'unsupported_encoding',
];
const CALLER: readonly ErrorCode[] = [
  'token_in_query',
  'missing_token',
  'invalid_token',
  'forbidden',
];
const BODY: readonly ErrorCode[] = ['body_too_large', 'bodies_in_flight', 'unsupported_media_type'];

/**
 * Every code that an operation may answer: its own, and those that its kind of request may meet
 * anywhere.
 */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const { area, auth, method, path, params, query, headers, body, consumes } = operation;
  const codes = new Set<ErrorCode>([...operation.errors, ...CONNECTION]);
  const add = (some: readonly ErrorCode[]): void => some.forEach((code) => codes.add(code));
  if (area !== 'status') add(GATE);
  if (auth !== 'none') add(CALLER);
  if (params ?? query ?? headers ?? body) codes.add('invalid_request');
  // A body is read where the method may have one, also when nothing is made of it.
  if (method !== 'GET') add(BODY);
  if (method !== 'GET' && (consumes ?? ['application/json']).includes('application/json')) {
    codes.add('malformed_json').add('body_too_complex');
  }
  // Without a name, and without the name of a provider that there is, it is another path.
  if (path.includes('{+') || path.includes('{provider}')) codes.add('route_not_found');
  return [...codes].toSorted();
}
