import { Problem } from './channel.ts';
import { stringify, text } from './primordials.ts';

/** An answer with a status of its own: see `Scope` of `@trellis/endpoint`. */
export class Reply {
  readonly status: number;
  readonly #value: unknown;
  readonly #extra: ReplyExtra;

  constructor(code: number, value: unknown, extra: ReplyExtra = {}) {
    this.status = code;
    this.#value = value;
    this.#extra = extra;
  }

  /** What is in a reply; undefined for any other value. */
  static open(value: unknown): OpenedReply | undefined {
    return typeof value === 'object' && value !== null && #value in value
      ? { status: value.status, value: value.#value, ...value.#extra }
      : undefined;
  }
}

interface ReplyExtra {
  /** Where a redirect leads. */
  readonly location?: string;
  /** That of an error body, which the server makes. */
  readonly message?: string;
  /** JSON of a problem that is passed on. */
  readonly problem?: string;
}

export interface OpenedReply extends ReplyExtra {
  readonly status: number;
  readonly value: unknown;
}

export function ok(value?: unknown): Reply {
  return new Reply(200, value);
}

export function status(code: number, value?: unknown): Reply {
  if (!(Number.isInteger(code) && code >= 200 && code <= 599)) {
    throw new RangeError(`a status is a whole number from 200 to 599, not ${text(code)}`);
  }
  return new Reply(code, value);
}

export function badRequest(messageOrValue: unknown = 'The request is not valid.'): Reply {
  return refusal(400, messageOrValue);
}

export function unauthorized(messageOrValue: unknown = 'Who is asking is not known.'): Reply {
  return refusal(401, messageOrValue);
}

export function forbidden(messageOrValue: unknown = 'This is not allowed.'): Reply {
  return refusal(403, messageOrValue);
}

export function notFound(messageOrValue: unknown = 'There is nothing here.'): Reply {
  return refusal(404, messageOrValue);
}

function refusal(code: number, messageOrValue: unknown): Reply {
  return typeof messageOrValue === 'string'
    ? new Reply(code, undefined, { message: messageOrValue })
    : new Reply(code, messageOrValue);
}

/** What the server refused to this code, as the answer; what is anything else is thrown again. */
export function passOn(error: unknown): Reply {
  if (!(error instanceof Problem)) throw error;
  const { code, message, hint, details } = error;
  const problem = stringify({ code, message, hint, details });
  return new Reply(400, undefined, problem === undefined ? { message } : { problem });
}

const REDIRECTS: readonly unknown[] = [301, 302, 303, 307, 308];

export function redirect(url: string, code = 302): Reply {
  if (!REDIRECTS.includes(code)) {
    throw new RangeError(`a redirect has the status ${REDIRECTS.join(', ')}, not ${text(code)}`);
  }
  return new Reply(code, undefined, { location: text(url) });
}
