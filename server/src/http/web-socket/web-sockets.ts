import type { FastifyRequest } from 'fastify';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { WEB_SOCKET_PATH, type WebSocketMessage } from '@trellis/contract/web-socket.ts';
import { WEB_SOCKET_REQUEST_BYTES_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { HttpServices } from '../services.ts';
import { pathOf } from '../request-log.ts';
import { WebSocketSession, type WebSocketParts } from './web-socket-session.ts';

export interface WebSocketsOptions extends Omit<WebSocketParts, 'services'> {
  readonly services: WebSocketParts['services'] & Pick<HttpServices, 'status'>;
  readonly redirectToHttps: boolean;
  readonly pingIntervalMs: number;
  readonly sessionCheckMs: number;
  readonly socketsMax: number;
}

type UpgradeRequest = FastifyRequest['raw'];

/** 16 bytes in base64 (RFC 6455, section 4.1). */
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/**
 * The WebSockets of the server. What may not become one is not upgraded but goes on as the plain request that it is, and
 * gets the answer that says why. Pages of any origin may connect: nothing is sent to them without a token that they have.
 */
export class WebSockets {
  readonly #options: WebSocketsOptions;
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: WEB_SOCKET_REQUEST_BYTES_MAX,
    perMessageDeflate: false,
  });
  readonly #sessions = new Set<WebSocketSession>();
  readonly #timers: readonly NodeJS.Timeout[];
  #isStopping = false;

  constructor(options: WebSocketsOptions) {
    this.#options = options;
    this.#timers = [
      this.#every(options.pingIntervalMs, (session) => session.ping()),
      this.#every(options.sessionCheckMs, (session) => void session.check()),
    ];
  }

  /** Whether a request that asks for another protocol gets it. */
  isUpgrade({ url = '', method, headers }: UpgradeRequest): boolean {
    if (pathOf(url) !== WEB_SOCKET_PATH || method !== 'GET') return false;
    // As the redirect would send it elsewhere; whether its sender is to be believed, only the redirect can tell.
    if (this.#options.redirectToHttps && headers['x-forwarded-proto'] !== 'https') return false;
    return (
      headers.upgrade?.toLowerCase() === 'websocket' &&
      headers['sec-websocket-version'] === '13' &&
      KEY.test(headers['sec-websocket-key'] ?? '') &&
      this.#refusal() === undefined
    );
  }

  /** What is answered to a request for the path that is not upgraded. */
  problem(): Problem {
    return (
      this.#refusal() ??
      new Problem('upgrade_required', `${WEB_SOCKET_PATH} is a WebSocket, not an operation.`)
    );
  }

  open(request: UpgradeRequest, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      const session = new WebSocketSession(webSocket, socket, this.#options);
      this.#sessions.add(session);
      webSocket.on('close', () => this.#sessions.delete(session));
      if (this.#isStopping) stop(session);
    });
  }

  /** To every session that is signed in, as far as the message is for it: for those of `owner`, a UID, it is. */
  broadcast(message: WebSocketMessage, owner?: string): void {
    for (const session of this.#sessions) void session.tell(message, owner);
  }

  /** No new ones, and the end of those there are: a peer that does not answer is cut off soon. */
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

  #refusal(): Problem | undefined {
    if (this.#isStopping) return new Problem('server_stopping', 'The server stops.');
    if (!this.#options.services.status.ready()) {
      return new Problem('not_ready', 'The graph is not loaded yet.');
    }
    const { socketsMax } = this.#options;
    if (this.#sessions.size >= socketsMax) {
      return new Problem('too_many_connections', `There are ${socketsMax} WebSockets already.`);
    }
    return undefined;
  }
}

function stop(session: WebSocketSession): void {
  session.close('goingAway', 'server_stopping: The server stops.');
}
