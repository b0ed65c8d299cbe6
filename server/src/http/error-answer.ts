import type { FastifyRequest } from 'fastify';
import type { PrimaryAddress } from '#base/primary-address.ts';
import { Problem } from '#base/problem.ts';
import type { Logger } from '#observe/logger.ts';
import {
  type ErrorBody,
  errorCatalogue,
  type ErrorCode,
  isErrorCode,
  isOAuthPath,
  type OAuthErrorBody,
  oauthErrorOf,
  type RouterErrorBody,
  type ScimErrorBody,
} from '@trellis/contract/errors.ts';
import type { CatalogueEntry } from '@trellis/contract/errors/entry.ts';
import { ENDPOINT_NAME_CHARACTERS_MAX } from '@trellis/contract/limits.ts';
import {
  SCIM_MEDIA_TYPE,
  SCIM_TYPES,
  SCIM_URNS,
  type ScimType,
} from '@trellis/contract/shapes/scim.ts';
import type { Operation } from '@trellis/contract/operation.ts';
import type { z } from 'zod';
import { shownPath } from './observe-requests.ts';
import { REQUEST_ID, SEQUENCE } from './headers.ts';
import type { ReachedBy } from './reached.ts';

/** Types of errors by their status, as clients of OpenAI and of Anthropic know them. */
const ROUTER_ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
};

/** Failures that may pass soon. After any other, those clients are told not to try again. */
const PASSING: ReadonlySet<string> = new Set([
  'llm_busy',
  'llm_unavailable',
  'too_many_requests',
  'not_ready',
]);

/** Everything an error says to the caller. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
  /** What is sent instead, to clients of another protocol. */
  readonly sent?: OAuthErrorBody;
}

/**
 * The answer to a problem (open-shapes, section 2). A problem outside the catalogue is our fault,
 * and its answer reveals nothing.
 */
export function errorAnswer(problem: Problem, traceId: string, operation?: Operation): ErrorAnswer {
  const code = isErrorCode(problem.code) ? problem.code : 'internal_error';
  const entry: CatalogueEntry = errorCatalogue[code];
  const isInternal = entry.internal === true;
  const { details } = isInternal ? { details: undefined } : problem;
  const answer: ErrorAnswer = {
    status: entry.status,
    headers: headersOf(code, entry, details),
    body: {
      error: {
        code,
        message: isInternal ? `${entry.title}.` : problem.message,
        hint: (isInternal ? undefined : problem.hint) ?? entry.hint,
        ...(details === undefined ? {} : { details }),
      },
      traceId,
    },
  };
  if (operation?.area === 'scim') return withScimParts(answer);
  if (operation !== undefined && isOAuthPath(operation.path))
    return withOAuthBody(answer, code, operation);
  return isRouterOperation(operation) ? withClientParts(answer) : answer;
}

function headersOf(
  code: ErrorCode,
  entry: CatalogueEntry,
  details: Problem['details'],
): Record<string, string> {
  const headers: Record<string, string> = {};
  const retryAfter = details?.['retryAfterSeconds'] ?? entry.retryAfterSeconds;
  if (typeof retryAfter === 'number') headers['retry-after'] = String(Math.ceil(retryAfter));
  if (code === 'upgrade_required') {
    Object.assign(headers, { upgrade: 'websocket', connection: 'upgrade' });
  }
  if (code === 'missing_token') headers['www-authenticate'] = 'Bearer';
  if (code === 'invalid_token') headers['www-authenticate'] = 'Bearer error="invalid_token"';
  const allow = details?.['allow'];
  if (code === 'method_not_allowed' && Array.isArray(allow)) headers['allow'] = allow.join(', ');
  return headers;
}

/** Makes a problem of anything that was thrown: by us, by the framework, or by mistake. */
export function toProblem(error: unknown, operation: Operation | undefined): Problem {
  if (error instanceof Problem) return error;
  const cause = { cause: error };
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_BAD_URL':
      return new Problem('malformed_request', 'The path is not well percent-encoded.', cause);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': {
      const supported = operation?.consumes ?? ['application/json'];
      return new Problem(
        'unsupported_media_type',
        'The body has no content type that is taken here.',
        {
          ...cause,
          details: { supported },
        },
      );
    }
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem(
        'malformed_request',
        'The body is not as long as Content-Length says.',
        cause,
      );
    default:
      return new Problem('internal_error', 'Something went wrong on our side.', cause);
  }
}

/** The most faults that one answer names: more would only repeat themselves. */
const FIELDS_MAX = 50;

/**
 * Checks everything that comes from outside: gives the value as the contract's schema makes it, or
 * throws `invalid_request`.
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues.flatMap(fieldsOf).slice(0, FIELDS_MAX);
  const first = fields[0];
  const where = first === undefined || first.path === '' ? what : `${what}, ${first.path}`;
  throw new Problem('invalid_request', `${where}: ${first?.message ?? 'not valid'}`, {
    details: { fields },
  });
}

function fieldsOf(issue: z.core.$ZodIssue): { path: string; message: string }[] {
  const at = (tail: readonly PropertyKey[]): string =>
    [...issue.path, ...tail].map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: at([key]), message: 'is not known here' }));
  }
  return [{ path: at([]), message: issue.message }];
}

export function bodyTooLarge(limitBytes: number): Problem {
  return new Problem('body_too_large', `The body is larger than ${limitBytes} bytes.`, {
    details: { limitBytes },
  });
}

/** Writes one log record for each error answer; the trace id leads from the answer to it. */
export function logError(
  logger: Logger,
  problem: Problem,
  answer: ErrorAnswer,
  request: FastifyRequest | undefined,
): void {
  const record = {
    traceId: answer.body.traceId,
    endpoint: request && endpointOf(request),
    method: request?.method,
    path: request && shownPath(request.url),
    status: answer.status,
    code: problem.code,
  };
  // Who stops a server expects that: thousands of streams may end with it.
  if (answer.status < 500 || problem.code === 'server_stopping') {
    logger.info(record, problem.message);
  } else if (isHidden(answer) && problem.code !== 'no_primary') {
    // Of refused writes there may be many until a member is the primary: a line each, no stack.
    const err = problem.code === 'internal_error' ? (problem.cause ?? problem) : problem;
    logger.error({ ...record, err, details: problem.details }, 'request failed');
  } else {
    logger.warn({ ...record, details: problem.details }, problem.message);
  }
}

/** The endpoint that a request was to run, so that records are found by it. */
function endpointOf({ routeOptions, params }: FastifyRequest): string | undefined {
  if (routeOptions.config.operation?.id.startsWith('runEndpoint') !== true) return undefined;
  const { '*': name } = Object(params) as { readonly '*'?: string };
  return name?.slice(0, ENDPOINT_NAME_CHARACTERS_MAX);
}

/**
 * Logs an error inside an answer that succeeds otherwise, and gives what the caller may know of it.
 */
export function errorDescriber(
  logger: Logger,
): (error: unknown, request: FastifyRequest) => ErrorBody {
  return (error, request) => {
    const problem = toProblem(error, request.routeOptions.config.operation);
    const answer = errorAnswer(problem, request.id);
    logError(logger, problem, answer, request);
    return answer.body;
  };
}

/** Whether the answer says less than the problem: then the log must say it all. */
function isHidden({ body }: ErrorAnswer): boolean {
  const { code } = body.error;
  if (!isErrorCode(code)) return true;
  const entry: CatalogueEntry = errorCatalogue[code];
  return entry.internal === true;
}

/** Whether errors of an operation are read by clients of OpenAI or of Anthropic. */
export function isRouterOperation(operation: Operation | undefined): boolean {
  return operation?.area === 'llm' && operation.auth === 'token';
}

/** The same answer with the members that those clients read, besides the usual body of an error. */
function withClientParts(answer: ErrorAnswer): ErrorAnswer {
  const { status, headers, body } = answer;
  const shouldRetry = PASSING.has(body.error.code);
  const asked: RouterErrorBody = {
    type: 'error',
    ...body,
    error: { type: routerErrorType(status), ...body.error },
  };
  const more = { 'x-should-retry': String(shouldRetry), 'request-id': body.traceId };
  return { status, headers: { ...headers, ...more }, body: asked };
}

/** What SCIM calls errors that other routes have too (RFC 7644, section 3.12). */
const SCIM_TYPES_OF_CODES: Readonly<Record<string, ScimType>> = {
  user_exists: 'uniqueness',
  team_exists: 'uniqueness',
  invalid_request: 'invalidValue',
  malformed_json: 'invalidSyntax',
};

/** The same answer with the members that identity providers read. */
function withScimParts(answer: ErrorAnswer): ErrorAnswer {
  const { status, headers, body } = answer;
  const { code, message, details } = body.error;
  const own = SCIM_TYPES.find((type) => type === details?.['scimType']);
  const scimType = own ?? SCIM_TYPES_OF_CODES[code];
  const asked: ScimErrorBody = {
    schemas: [SCIM_URNS.error],
    status: String(status),
    ...(scimType === undefined ? {} : { scimType }),
    detail: message,
    ...body,
  };
  const type = { 'content-type': `${SCIM_MEDIA_TYPE}; charset=utf-8` };
  return { status, headers: { ...headers, ...type }, body: asked };
}

/** The body that OAuth clients read: a word, and a sentence. */
function withOAuthBody(answer: ErrorAnswer, code: ErrorCode, { id }: Operation): ErrorAnswer {
  const { error, traceId } = answer.body;
  const description = `${error.message} ${error.hint ?? ''}`.trim();
  const sent = {
    error: oauthErrorOf(code, id === 'registerOAuthClient'),
    // Nothing but ASCII, and neither quotation marks nor backslashes, may stand in it.
    error_description: description.replaceAll(/[^ !#-[\]-~]+/g, "'"),
    traceId,
  };
  return { ...answer, sent };
}

/** The error as the last event of a stream that has begun. */
export function errorEvent({ body }: ErrorAnswer): string {
  // One client looks at the name of the event, the other at the member "error".
  return `event: error\ndata: ${JSON.stringify(body)}\n\n`;
}

function routerErrorType(status: number): string {
  return ROUTER_ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

/** What every way of answering an error needs. */
export interface ErrorParts {
  readonly logger: Logger;
  /** The security headers of every answer. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  readonly lingerMs: number;
  /** Null on a primary. */
  readonly primaryAddress: PrimaryAddress | null;
  /** Where whoever sent a request has reached this server. */
  readonly reachedBy: ReachedBy;
  newRequestId(): string;
  sequence(): number;
}

/** The headers of an answer that passes no hook. */
export function commonHeaders(parts: ErrorParts, requestId: string): Record<string, string> {
  return {
    ...parts.securityHeaders,
    [REQUEST_ID]: requestId,
    [SEQUENCE]: String(parts.sequence()),
    'content-type': 'application/json; charset=utf-8',
  };
}
