import type { z } from 'zod';
import type { Caller } from '#access/caller.ts';
import type { Immutable } from '@trellis/contract/immutable.ts';
import type { Auth } from '@trellis/contract/operation.ts';
import {
  webSocketRequests,
  type WebSocketRequestType,
} from '@trellis/contract/web-socket-requests.ts';
import type { HttpServices } from '../services.ts';
import { validate } from '../validation.ts';

/** What requests are answered with. */
export type RequestServices = Pick<HttpServices, 'endpoints' | 'editor'>;

/** A request of a caller who may send it. */
interface Received<Body> {
  readonly caller: Caller;
  readonly body: Body;
  /** Says that nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** One type of request. */
export interface RequestHandler {
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

export const requestHandlers: Readonly<Record<WebSocketRequestType, RequestHandler>> = {
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

export function isRequestType(type: string): type is WebSocketRequestType {
  return Object.hasOwn(requestHandlers, type);
}
