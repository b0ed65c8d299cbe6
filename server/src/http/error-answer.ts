import type { FastifyRequest } from 'fastify';
import { Problem } from '#base/problem.ts';
import { JSON_BODY_BYTES_MAX } from '#base/limits.ts';
import type { Logger } from '#observe/logger.ts';
import {
  errorCatalogue,
  isErrorCode,
  type CatalogueEntry,
  type ErrorBody,
} from '@trellis/contract/errors.ts';
import type { Operation } from '@trellis/contract/operation.ts';

/** Everything an error says to the caller. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/** The answer to a problem (open-shapes, section 2). What is no problem of the catalogue is a fault of ours and shows nothing. */
export function errorAnswer(problem: Problem, traceId: string): ErrorAnswer {
  const known = isErrorCode(problem.code);
  const code = known ? problem.code : 'internal_error';
  const entry: CatalogueEntry = errorCatalogue[isErrorCode(code) ? code : 'internal_error'];
  const details = known ? problem.details : undefined;
  const headers: Record<string, string> = {};
  const retryAfter = details?.['retryAfterSeconds'] ?? entry.retryAfterSeconds;
  if (typeof retryAfter === 'number') headers['retry-after'] = String(Math.ceil(retryAfter));
  if (code === 'missing_token') headers['www-authenticate'] = 'Bearer';
  if (code === 'invalid_token') headers['www-authenticate'] = 'Bearer error="invalid_token"';
  const allow = details?.['allow'];
  if (code === 'method_not_allowed' && Array.isArray(allow)) headers['allow'] = allow.join(', ');
  return {
    status: entry.status,
    headers,
    body: {
      error: {
        code,
        message: known ? problem.message : 'Something went wrong on our side.',
        hint: (known ? problem.hint : undefined) ?? entry.hint,
        ...(details === undefined ? {} : { details }),
      },
      traceId,
    },
  };
}

/** The one conversion of what was thrown: by us, by the framework, or by mistake. */
export function toProblem(error: unknown, operation: Operation | undefined): Problem {
  if (error instanceof Problem) return error;
  const cause = { cause: error };
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_BAD_URL':
      return new Problem('malformed_request', 'The path is not well percent-encoded.', cause);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE': {
      const supported = operation?.consumes ?? ['application/json'];
      return new Problem('unsupported_media_type', 'The body has no content type that is taken here.', {
        ...cause,
        details: { supported },
      });
    }
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge(cause);
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('malformed_request', 'The body is not as long as Content-Length says.', cause);
    default:
      return new Problem('internal_error', 'Something went wrong on our side.', cause);
  }
}

export function bodyTooLarge(extra: { readonly cause?: unknown } = {}): Problem {
  const limitBytes = JSON_BODY_BYTES_MAX;
  return new Problem('body_too_large', `The body is larger than ${limitBytes} bytes.`, {
    ...extra,
    details: { limitBytes },
  });
}

/** One record for every error answer: the trace id leads from the answer to it. */
export function logError(
  logger: Logger,
  problem: Problem,
  answer: ErrorAnswer,
  request: Pick<FastifyRequest, 'method' | 'url'> | undefined,
): void {
  const record = {
    traceId: answer.body.traceId,
    method: request?.method,
    // Without the query, which may hold what is nobody's business.
    path: request?.url.split('?', 1)[0],
    status: answer.status,
    code: problem.code,
  };
  if (answer.body.error.code === 'internal_error') {
    logger.error({ ...record, err: problem.cause ?? problem }, 'request failed');
  } else if (answer.status >= 500) {
    logger.warn({ ...record, details: problem.details }, problem.message);
  } else {
    logger.info(record, problem.message);
  }
}
