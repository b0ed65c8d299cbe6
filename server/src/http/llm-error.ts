import type { RouterErrorBody } from '@trellis/contract/errors.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import type { ErrorAnswer } from './error-answer.ts';

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

/** Failures that may be over in a moment; of others the clients are told not to repeat the request by themselves. */
const PASSING: ReadonlySet<string> = new Set([
  'llm_busy',
  'llm_unavailable',
  'too_many_requests',
  'not_ready',
]);

/** Whether errors of an operation are read by clients of OpenAI or of Anthropic. */
export function isRouterOperation(operation: Operation | undefined): boolean {
  return operation?.area === 'llm' && operation.auth === 'token';
}

/** The same answer with what those clients read of one: the body that every error has, and a little more. */
export function withClientParts(answer: ErrorAnswer): ErrorAnswer {
  const { status, headers, body } = answer;
  const shouldRetry = PASSING.has(body.error.code);
  const asked: RouterErrorBody = {
    type: 'error',
    ...body,
    error: { type: typeOf(status), ...body.error },
  };
  const more = { 'x-should-retry': String(shouldRetry), 'request-id': body.traceId };
  return { status, headers: { ...headers, ...more }, body: asked };
}

/** As the last event of a stream that has begun. */
export function errorEvent({ body }: ErrorAnswer): string {
  // One client looks at the name of the event, the other at the member "error".
  return `event: error\ndata: ${JSON.stringify(body)}\n\n`;
}

function typeOf(status: number): string {
  return TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}
