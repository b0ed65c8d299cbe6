import { z } from 'zod';
import type { Immutable } from './immutable.ts';
import type { Auth } from './operation.ts';
import { job } from './shapes/job.ts';
import { WEB_SOCKET_TOKEN_CHARACTERS_MAX } from './request-limits.ts';

/**
 * The WebSocket (open-shapes, section 8). It is no operation: a plain `GET` of the path is answered
 * 426 `upgrade_required`.
 *
 * The client opens it without a token and sends one message, `webSocketSignIn`, within
 * `WEB_SOCKET_SIGN_IN_MS` (limits.ts). A session is answered `REPLICAS_CHANGED` with the list as it
 * stands, and gets a `webSocketMessage` whenever something happens. From then on it may send
 * requests (web-socket-requests.ts), or only listen. The server closes with one of
 * `WEB_SOCKET_CLOSE_CODES`; the reason says why, and begins with a code of the error catalogue
 * where one fits.
 */
export const WEB_SOCKET_PATH = '/api/ws';

/** The first message of a client: the token of a session, not of any other kind. */
export const webSocketSignIn = z.strictObject({
  token: z.string().min(1).max(WEB_SOCKET_TOKEN_CHARACTERS_MAX),
});

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
   * included, and for the user whose job it is; from the primary.
   */
  z.strictObject({ type: z.literal('JOB_CHANGED'), job }),
]);
export type WebSocketMessage = Immutable<z.infer<typeof webSocketMessage>>;

/** To whom a message goes: as an operation's `auth`; one of a job also to its user. */
export const WEB_SOCKET_MESSAGE_AUTH = {
  REPLICAS_CHANGED: 'session',
  FRONTEND_CHANGED: 'session',
  JOB_CHANGED: 'admin',
} as const satisfies Record<WebSocketMessage['type'], Auth>;

/** With which the server closes, beside those of RFC 6455 that concern the protocol itself. */
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
