import { z } from 'zod';
import type { Immutable } from './immutable.ts';
import type { Auth } from './operation.ts';
import { job } from './shapes/job.ts';
import {
  WEB_SOCKET_TOKEN_CHARACTERS_MAX,
  WEB_SOCKET_TYPE_CHARACTERS_MAX,
} from './request-limits.ts';
import { errorBody } from './errors.ts';
import { completions, editorPlace, hover, signatureHelp } from './shapes/editor.ts';
import { endpointCheck, endpointCheckRequest } from './shapes/endpoint.ts';

/**
 * The WebSocket (open-shapes, section 8). It is no operation: a plain `GET` of the path is answered
 * 426 `upgrade_required`.
 *
 * The client opens it without a token and sends one message, `webSocketSignIn`, within
 * `WEB_SOCKET_SIGN_IN_MS` (limits.ts). A session is answered `REPLICAS_CHANGED` with the list as it
 * stands, and gets a `webSocketMessage` whenever something happens. From then on it may send
 * `webSocketRequests`, or only listen. The server closes with one of
 * `WEB_SOCKET_CLOSE_CODES`; the reason says why, and begins with a code of the error catalogue
 * where one fits.
 */
export const WEB_SOCKET_PATH = '/api/ws';

/** The first message of a client: the token of a session, not of any other kind. */
export const webSocketSignIn = z.strictObject({
  token: z.string().min(1).max(WEB_SOCKET_TOKEN_CHARACTERS_MAX),
});

/** What of the server is shown as it is now, beside jobs. */
export const LIVE_VIEWS = [
  'agent-runs',
  'connectors',
  'members',
  'recorded-inputs',
  'replicas',
  'schema',
  'search',
  'triggers',
  'webhooks',
] as const;
export type LiveView = (typeof LIVE_VIEWS)[number];

export const webSocketMessage = z.discriminatedUnion('type', [
  /**
   * The servers to read from have changed: URLs with ";" between them, as in the page's
   * `MSKREPLICAURLS`.
   */
  z.strictObject({ type: z.literal('REPLICAS_CHANGED'), replicas: z.string() }),
  /** The server that was asked has a new front end: a page that is loaded again gets it. */
  z.strictObject({ type: z.literal('FRONTEND_CHANGED') }),
  /**
   * A job has begun, has come further, or has ended. For administrators, the read-only one
   * included, and for the user whose job it is; of the primary, wherever the page is connected.
   */
  z.strictObject({ type: z.literal('JOB_CHANGED'), job }),
  /**
   * What a list says has changed: it is to be read again. For administrators, the read-only one
   * included; `agent-runs` also for the user whose run it is.
   */
  z.strictObject({ type: z.literal('VIEW_CHANGED'), view: z.enum(LIVE_VIEWS) }),
]);
export type WebSocketMessage = Immutable<z.infer<typeof webSocketMessage>>;

/**
 * Who gets a message, like `auth` of an operation. A message about a job or a run of an agent also
 * goes to its user.
 */
export const WEB_SOCKET_MESSAGE_AUTH = {
  REPLICAS_CHANGED: 'session',
  FRONTEND_CHANGED: 'session',
  JOB_CHANGED: 'admin',
  VIEW_CHANGED: 'admin',
} as const satisfies Record<WebSocketMessage['type'], Auth>;

/** The codes that the server closes with, beside those of RFC 6455 for the protocol itself. */
export const WEB_SOCKET_CLOSE_CODES = {
  /** It stops: connect again, here or elsewhere. */
  goingAway: 1001,
  /**
   * A message was longer than what its sender may send: a token, or as an administrator a request.
   */
  messageTooBig: 1009,
  /** Messages come faster than the client takes them: connect again. */
  tooSlow: 1013,
  /** The first message is no `webSocketSignIn`. */
  invalidMessage: 4400,
  /** The token is not valid, or the session is over: sign in again. */
  notSignedIn: 4401,
  /** The token is none of a session. */
  forbidden: 4403,
  /** No token came in time. */
  signInTimeout: 4408,
  /** The user has too many WebSockets already: close one first. */
  tooManyOfUser: 4429,
} as const;

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
    body: endpointCheckRequest,
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
