import { z } from 'zod';
import { errorBody } from './errors.ts';
import type { Auth } from './operation.ts';
import { completions, editorPlace, hover, signatureHelp } from './shapes/editor.ts';
import { endpointCheck, endpointDraft } from './shapes/endpoint.ts';
import { WEB_SOCKET_TYPE_CHARACTERS_MAX } from './request-limits.ts';

/** A row of the table of requests that a session may send over its WebSocket. */
interface WebSocketRequestRow {
  /** Who may send it: as an operation's `auth`. */
  readonly auth: Auth;
  /** What the message has beside `id` and `type`. */
  readonly body: z.ZodObject;
  readonly result: z.ZodType;
  /**
   * Whether only the last one of a session counts: one before it is answered `request_superseded`.
   */
  readonly isSuperseded: boolean;
}

/**
 * Requests over the WebSocket, by type. Each is one message, `{id, type, ...body}` with an `id` of
 * the client's own choice, and answered by one, in any order: a `webSocketAnswer`.
 *
 * The requests of an editor concern code that need not be saved, nor be complete. They are answered
 * against the live schema by the compiler that judges what is saved: `EDITOR_DIAGNOSTICS` is
 * `POST /api/endpoints/check`.
 */
export const webSocketRequests = {
  EDITOR_DIAGNOSTICS: {
    auth: 'admin',
    body: endpointDraft,
    result: endpointCheck,
    isSuperseded: false,
  },
  EDITOR_COMPLETION: { auth: 'admin', body: editorPlace, result: completions, isSuperseded: true },
  EDITOR_HOVER: { auth: 'admin', body: editorPlace, result: hover, isSuperseded: true },
  EDITOR_SIGNATURE: {
    auth: 'admin',
    body: editorPlace,
    result: signatureHelp,
    isSuperseded: true,
  },
} as const satisfies Record<string, WebSocketRequestRow>;

export type WebSocketRequestType = keyof typeof webSocketRequests;
export type WebSocketRequestBody<T extends WebSocketRequestType> = z.infer<
  (typeof webSocketRequests)[T]['body']
>;
export type WebSocketResult<T extends WebSocketRequestType> = z.infer<
  (typeof webSocketRequests)[T]['result']
>;

const id = z.int().min(0);

/** The part of a request that all of them have. */
export const webSocketRequestHead = z.looseObject({
  id,
  type: z.string().max(WEB_SOCKET_TYPE_CHARACTERS_MAX),
});

/** `{id, type, result}`, or why there is no result; then `id` is null if the request had none. */
export const webSocketAnswer = z.union([
  z.strictObject({ id, type: z.enum(Object.keys(webSocketRequests)), result: z.unknown() }),
  z.strictObject({ id: id.nullable(), type: z.literal('ERROR'), ...errorBody.shape }),
]);
export type WebSocketAnswer = z.infer<typeof webSocketAnswer>;
