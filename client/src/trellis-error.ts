import type { ErrorCode } from '@trellis/contract/errors.ts';

/**
 * Why a call failed: a code of the service's error catalogue. Of the client itself:
 * `connection_failed` when no answer came, and `unexpected_answer` when something that is not this
 * service answered.
 */
export type TrellisErrorCode = ErrorCode | 'connection_failed' | 'unexpected_answer';

/** What a `TrellisError` says beyond its message. */
export interface TrellisErrorFields {
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  readonly code: string;
  readonly hint?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** The request's identity in the server's log. */
  readonly traceId?: string | undefined;
  readonly cause?: unknown;
}

/**
 * A request that the service refused, or that did not reach it (open-shapes, section 2, "Error
 * body").
 */
export class TrellisError extends Error {
  override readonly name = 'TrellisError';
  readonly status: number;
  /** A newer service, or the code of an endpoint, may give one that this type does not name. */
  readonly code: TrellisErrorCode;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly traceId: string | undefined;

  constructor(message: string, fields: TrellisErrorFields) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.status = fields.status;
    // The types name what there is now; what comes is said as it is.
    this.code = fields.code as TrellisErrorCode;
    this.hint = fields.hint;
    this.details = fields.details;
    this.traceId = fields.traceId;
  }

  /** The refusal that an answer's body tells of, or `undefined` when the body is something else. */
  static fromBody(response: Response, text: string): TrellisError | undefined {
    const body = parseErrorBody(text);
    if (body === undefined) return undefined;
    return new TrellisError(body.error.message, {
      status: response.status,
      code: body.error.code,
      hint: body.error.hint,
      details: body.error.details,
      traceId: body.traceId ?? response.headers.get('x-request-id') ?? undefined,
    });
  }

  /**
   * For an answer that this service never gives, such as a proxy's page, or a redirect that is not
   * followed.
   */
  static unexpectedAnswer(response: Response, text: string): TrellisError {
    const location = response.headers.get('location');
    const what = location === null ? excerpt(text) : `it redirects to ${location}`;
    return new TrellisError(`unexpected answer with status ${response.status}: ${what}`, {
      status: response.status,
      code: 'unexpected_answer',
      hint:
        location === null
          ? 'Check that the address is that of the service and not of something in between.'
          : 'A replica sends writes to its primary: use the address of the primary.',
      traceId: response.headers.get('x-request-id') ?? undefined,
    });
  }

  static unexpectedMessage(url: URL, text: string): TrellisError {
    return new TrellisError(`unexpected message from ${url.origin}: ${excerpt(text)}`, {
      status: 0,
      code: 'unexpected_answer',
      hint: 'Check that the address is that of the service and not of something in between.',
    });
  }

  static connectionFailed(url: URL, cause: unknown): TrellisError {
    return new TrellisError(`cannot reach ${url.origin}: ${reasonOf(cause)}`, {
      status: 0,
      code: 'connection_failed',
      hint: 'Check the address, and that the server runs.',
      cause,
    });
  }
}

interface ErrorBodyText {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly hint?: string;
    readonly details?: Readonly<Record<string, unknown>>;
  };
  readonly traceId?: string;
}

function parseErrorBody(text: string): ErrorBodyText | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // Not JSON, so not an error body of this service.
    return undefined;
  }
  return isErrorBody(body) ? body : undefined;
}

function isErrorBody(body: unknown): body is ErrorBodyText {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  if (typeof error !== 'object' || error === null) return false;
  if (!('code' in error) || !('message' in error)) return false;
  return typeof error.code === 'string' && typeof error.message === 'string';
}

const EXCERPT_CHARACTERS_MAX = 200;

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line === '') return 'no body';
  return line.length > EXCERPT_CHARACTERS_MAX
    ? `${line.slice(0, EXCERPT_CHARACTERS_MAX)}...`
    : line;
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed while sending',
  UND_ERR_SOCKET: 'connection closed before an answer came',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the name of the host could not be looked up',
};

/**
 * `fetch` hides the reason in causes: the innermost one that has a code or a message tells most.
 */
function reasonOf(cause: unknown): string {
  let reason = 'no connection';
  for (let error: unknown = cause, depth = 0; error instanceof Error && depth < 5; depth++) {
    const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
    if (code !== undefined) reason = REASONS[code] ?? code;
    else if (error.message !== '') reason = error.message;
    error = error.cause;
  }
  return reason;
}
