import type { Caller } from '#access/caller.ts';
import { WEB_SOCKET_REQUEST_VALUES_MAX, WEB_SOCKET_REQUESTS_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { unlessAborted } from '#base/unless-aborted.ts';
import type { Logger } from '#observe/logger.ts';
import {
  type WebSocketAnswer,
  webSocketRequestHead,
  webSocketRequests,
  type WebSocketRequestType,
} from '@trellis/contract/web-socket.ts';
import { authorize } from '../gate.ts';
import { requireFewValues } from '../body/bodies.ts';
import { errorAnswer, logError, toProblem, validate } from '../error-answer.ts';
import type { z } from 'zod';
import type { Immutable } from '@trellis/contract/immutable.ts';
import type { Auth } from '@trellis/contract/operation.ts';
import type { HttpServices } from '../services.ts';

export interface SessionRequestsParts {
  readonly services: RequestServices;
  readonly logger: Logger;
  readonly newRequestId: () => string;
}

/** The requests of one session that are not answered yet. */
export class SessionRequests {
  readonly #parts: SessionRequestsParts;
  readonly #open = new Set<AbortController>();
  /** The newest request of each type where a newer one replaces an older one. */
  readonly #last = new Map<WebSocketRequestType, AbortController>();

  constructor(parts: SessionRequestsParts) {
    this.#parts = parts;
  }

  /** Answers any message, also a broken one. Undefined when the session has ended meanwhile. */
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
      return { id, type, result: await unlessAborted(answer, signal) };
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
    // Not logged: it happens at every second key press in the editor.
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

/** The services that answer the requests. */
type RequestServices = Pick<HttpServices, 'endpoints' | 'editor'>;

/** A request whose caller may send it. */
interface Received<Body> {
  readonly caller: Caller;
  readonly body: Body;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** One type of request. */
interface RequestHandler {
  readonly auth: Auth;
  readonly isSuperseded: boolean;
  /** Resolves with the result; throws `invalid_request` for a body that is not the contract's. */
  answer(request: Received<object>, services: RequestServices): Promise<unknown>;
}

interface Row<Body, Result> {
  readonly auth: Auth;
  readonly body: z.ZodType<Body>;
  readonly result: z.ZodType<Result>;
  readonly isSuperseded: boolean;
}

function handler<Body, Result>(
  { auth, body, isSuperseded }: Row<Body, Result>,
  answer: (
    request: Received<Immutable<Body>>,
    services: RequestServices,
  ) => Promise<Immutable<Result>>,
): RequestHandler {
  return {
    auth,
    isSuperseded,
    answer: async (request, services) => {
      const checked = validate(body, request.body, 'The message') as Immutable<Body>;
      return answer({ ...request, body: checked }, services);
    },
  };
}

const requestHandlers: Readonly<Record<WebSocketRequestType, RequestHandler>> = {
  EDITOR_DIAGNOSTICS: handler(
    webSocketRequests.EDITOR_DIAGNOSTICS,
    async ({ caller, body }, { endpoints }) => endpoints.check(caller, body),
  ),
  EDITOR_COMPLETION: handler(
    webSocketRequests.EDITOR_COMPLETION,
    ({ caller, body, signal }, { editor }) => editor.completions(caller, body, signal),
  ),
  EDITOR_HOVER: handler(webSocketRequests.EDITOR_HOVER, ({ caller, body, signal }, { editor }) =>
    editor.hover(caller, body, signal),
  ),
  EDITOR_SIGNATURE: handler(
    webSocketRequests.EDITOR_SIGNATURE,
    ({ caller, body, signal }, { editor }) => editor.signatureHelp(caller, body, signal),
  ),
};

function isRequestType(type: string): type is WebSocketRequestType {
  return Object.hasOwn(requestHandlers, type);
}
