import type { Caller } from '#access/caller.ts';
import { WEB_SOCKET_REQUEST_VALUES_MAX, WEB_SOCKET_REQUESTS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { Logger } from '#observe/logger.ts';
import {
  type WebSocketAnswer,
  webSocketRequestHead,
  type WebSocketRequestType,
} from '@trellis/contract/web-socket-requests.ts';
import { authorize } from '../authorize.ts';
import { requireFewValues } from '../body/bodies.ts';
import { errorAnswer, logError, toProblem } from '../error-answer.ts';
import { validate } from '../validation.ts';
import { isRequestType, requestHandlers, type RequestServices } from './request-handlers.ts';

export interface SessionRequestsParts {
  readonly services: RequestServices;
  readonly logger: Logger;
  readonly newRequestId: () => string;
}

/** The requests of one session that are not answered yet. */
export class SessionRequests {
  readonly #parts: SessionRequestsParts;
  readonly #open = new Set<AbortController>();
  /** The newest request of each type of which only the newest counts. */
  readonly #last = new Map<WebSocketRequestType, AbortController>();

  constructor(parts: SessionRequestsParts) {
    this.#parts = parts;
  }

  /** Answers whatever the message is. Undefined when the session has ended meanwhile. */
  async answer(text: string | undefined, caller: Caller): Promise<WebSocketAnswer | undefined> {
    const request = new AbortController();
    let head: unknown;
    try {
      head = parse(text);
      const { type, id, ...body } = validate(webSocketRequestHead, head, 'The message');
      if (!isRequestType(type)) {
        throw new Problem('invalid_request', `There is no request of the type "${type}".`);
      }
      authorize({ id: type, auth: requestHandlers[type].auth }, caller);
      this.#begin(type, request);
      const { signal } = request;
      const answer = requestHandlers[type].answer({ caller, body, signal }, this.#parts.services);
      return { id, type, result: await Promise.race([answer, aborted(signal)]) };
    } catch (error) {
      return error === SESSION_ENDED ? undefined : this.#refusal(idOf(head), error);
    } finally {
      this.#open.delete(request);
    }
  }

  /** Nobody waits for the answers any more. */
  close(): void {
    for (const request of this.#open) request.abort(SESSION_ENDED);
  }

  #begin(type: WebSocketRequestType, request: AbortController): void {
    if (requestHandlers[type].isSuperseded) {
      const last = this.#last.get(type);
      if (last !== undefined && this.#open.delete(last)) last.abort(superseded(type));
      this.#last.set(type, request);
    }
    if (this.#open.size >= WEB_SOCKET_REQUESTS_MAX) {
      const message = `${WEB_SOCKET_REQUESTS_MAX} requests of this session are not answered yet.`;
      throw new Problem('too_many_requests', message, { hint: 'Wait for the answers to them.' });
    }
    this.#open.add(request);
  }

  #refusal(id: number | null, error: unknown): WebSocketAnswer {
    const problem = toProblem(error, undefined);
    const answer = errorAnswer(problem, this.#parts.newRequestId());
    // It happens with every second key that somebody presses.
    if (problem.code !== 'request_superseded') {
      logError(this.#parts.logger, problem, answer, undefined);
    }
    return { id, type: 'ERROR', ...answer.body };
  }
}

const SESSION_ENDED = new Error('the session has ended');

/** `text` is undefined for a message of bytes. */
function parse(text: string | undefined): unknown {
  try {
    if (text !== undefined) {
      requireFewValues(text, WEB_SOCKET_REQUEST_VALUES_MAX);
      return JSON.parse(text);
    }
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('invalid_request', 'The message is not JSON.', { cause });
  }
  throw new Problem('invalid_request', 'The message is not text.');
}

function idOf(message: unknown): number | null {
  const id: unknown = Object(message).id;
  return webSocketRequestHead.shape.id.safeParse(id).data ?? null;
}

function superseded(type: string): Problem {
  return new Problem('request_superseded', `A newer ${type} of the same session has come.`);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
