import type { FastifyRequest } from 'fastify';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { WEB_SOCKET_PATH, type WebSocketMessage } from '@trellis/contract/web-socket.ts';
import { budgetKey, type Caller } from '#access/caller.ts';
import {
  WEB_SOCKET_FRAGMENTS_MAX,
  WEB_SOCKET_REQUEST_BYTES_MAX,
  WEB_SOCKET_STRANGERS_ADDRESS_MAX,
  WEB_SOCKET_STRANGERS_MAX,
  WEB_SOCKETS_PER_USER_MAX,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import { addressGroup } from '#identity/address-group.ts';
import { clientAddress, type ProxyTrust } from '../headers.ts';
import type { HttpServices } from '../services.ts';
import { pathOf } from '../observe-requests.ts';
import { type WebSocketParts, WebSocketSession } from './web-socket-session.ts';

export interface WebSocketsOptions extends Omit<WebSocketParts, 'services' | 'onKnown'> {
  readonly services: WebSocketParts['services'] & Pick<HttpServices, 'status'>;
  readonly redirectToHttps: boolean;
  readonly pingIntervalMs: number;
  readonly sessionCheckMs: number;
  readonly socketsMax: number;
  readonly trusts: ProxyTrust;
}

type UpgradeRequest = FastifyRequest['raw'];

/** 16 bytes in base64 (RFC 6455, section 4.1). */
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/**
 * The WebSockets of the server. A request that may not become one is not upgraded: it goes on as a
 * plain request, and its answer says why. Pages of any origin may connect, since nothing is sent
 * without a token.
 */
export class WebSockets {
  readonly #options: WebSocketsOptions;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxFragments: WEB_SOCKET_FRAGMENTS_MAX,
    maxPayload: WEB_SOCKET_REQUEST_BYTES_MAX,
    perMessageDeflate: false,
  });
  readonly #sessions = new Set<WebSocketSession>();
  /** Sockets that have not signed in, by address and in all. */
  readonly #strangersByAddress = new Map<string, number>();
  #strangers = 0;
  /** Sockets of each user, by `budgetKey`. */
  readonly #socketsByUser = new Map<string, number>();
  readonly #timers: readonly NodeJS.Timeout[];
  #isStopping = false;

  constructor(options: WebSocketsOptions) {
    this.#options = options;
    this.#timers = [
      this.#every(options.pingIntervalMs, (session) => session.ping()),
      this.#every(options.sessionCheckMs, (session) => void session.check()),
    ];
  }

  /** Whether a request is upgraded to the protocol that it asks for. */
  isUpgrade(request: UpgradeRequest): boolean {
    const { url = '', method, headers } = request;
    if (pathOf(url) !== WEB_SOCKET_PATH || method !== 'GET') return false;
    // The redirect would send it elsewhere. Only the redirect can tell whether the sender is
    // trusted.
    if (this.#options.redirectToHttps && headers['x-forwarded-proto'] !== 'https') return false;
    return (
      headers.upgrade?.toLowerCase() === 'websocket' &&
      headers['sec-websocket-version'] === '13' &&
      KEY.test(headers['sec-websocket-key'] ?? '') &&
      this.#refusal(clientAddress(request, this.#options.trusts)) === undefined
    );
  }

  /** The answer to a request for the path that is not upgraded. */
  problem(address: string): Problem {
    return (
      this.#refusal(address) ??
      new Problem('upgrade_required', `${WEB_SOCKET_PATH} is a WebSocket, not an operation.`)
    );
  }

  open(request: UpgradeRequest, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const forget = this.#countStranger(clientAddress(request, this.#options.trusts));
      let release: (() => void) | undefined;
      const onKnown = (caller: Caller): boolean => {
        forget();
        release ??= this.#countUser(budgetKey(caller));
        return release !== undefined;
      };
      const session = new WebSocketSession(webSocket, socket, { ...this.#options, onKnown });
      this.#sessions.add(session);
      webSocket.on('close', () => {
        this.#sessions.delete(session);
        forget();
        release?.();
      });
      if (this.#isStopping) stop(session);
    });
  }

  get areOpen(): boolean {
    return this.#sessions.size > 0;
  }

  /**
   * Sends a message to every signed-in session that it is for. The sessions of the user with the
   * UID `owner` always get it.
   */
  broadcast(message: WebSocketMessage, owner?: string): void {
    for (const session of this.#sessions) void session.tell(message, owner);
  }

  /**
   * Accepts no new sockets and closes the open ones. A peer that does not answer is cut off soon.
   */
  stop(): void {
    this.#isStopping = true;
    for (const timer of this.#timers) clearInterval(timer);
    for (const session of this.#sessions) stop(session);
  }

  #every(intervalMs: number, look: (session: WebSocketSession) => void): NodeJS.Timeout {
    return setInterval(() => {
      for (const session of this.#sessions) look(session);
    }, intervalMs).unref();
  }

  /** Counts a socket without a sign-in until the given function is called, once or more often. */
  #countStranger(address: string): () => void {
    const group = addressGroup(address);
    const strangers = this.#strangersByAddress;
    strangers.set(group, (strangers.get(group) ?? 0) + 1);
    this.#strangers += 1;
    let isCounted = true;
    return () => {
      if (!isCounted) return;
      isCounted = false;
      this.#strangers -= 1;
      const others = (strangers.get(group) ?? 0) - 1;
      if (others > 0) strangers.set(group, others);
      else strangers.delete(group);
    };
  }

  /**
   * Counts a socket of a user until the given function is called, once. Undefined when the user has
   * too many.
   */
  #countUser(user: string): (() => void) | undefined {
    const sockets = this.#socketsByUser;
    const others = sockets.get(user) ?? 0;
    if (others >= WEB_SOCKETS_PER_USER_MAX) return undefined;
    sockets.set(user, others + 1);
    return () => {
      const left = (sockets.get(user) ?? 0) - 1;
      if (left > 0) sockets.set(user, left);
      else sockets.delete(user);
    };
  }

  #refusal(address: string): Problem | undefined {
    if (this.#isStopping) return new Problem('server_stopping', 'The server stops.');
    if (!this.#options.services.status.ready()) {
      return new Problem('not_ready', 'The graph is not loaded yet.');
    }
    const { socketsMax } = this.#options;
    if (this.#sessions.size >= socketsMax) {
      return new Problem('too_many_connections', `There are ${socketsMax} WebSockets already.`);
    }
    const ofAddress = this.#strangersByAddress.get(addressGroup(address)) ?? 0;
    const isTooMany =
      ofAddress >= WEB_SOCKET_STRANGERS_ADDRESS_MAX || this.#strangers >= WEB_SOCKET_STRANGERS_MAX;
    if (!isTooMany) return undefined;
    return new Problem(
      'too_many_connections',
      'There are too many WebSockets already that have not signed in.',
    );
  }
}

function stop(session: WebSocketSession): void {
  session.close('goingAway', 'server_stopping: The server stops.');
}
