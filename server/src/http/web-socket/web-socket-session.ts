import type { RawData, WebSocket } from 'ws';
import {
  WEB_SOCKET_CLOSE_CODES,
  webSocketSignIn,
  type WebSocketMessage,
} from '@trellis/contract/web-socket.ts';
import { WEB_SOCKET_CLOSE_TIMEOUT_MS, WEB_SOCKET_WAITING_BYTES_MAX } from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { Logger } from '#observe/logger.ts';
import type { HttpServices } from '../services.ts';

export interface WebSocketParts {
  readonly services: Pick<HttpServices, 'identity' | 'frontEnd'>;
  readonly logger: Logger;
  readonly signInMs: number;
}

/** One WebSocket: of a stranger until its token is here, then of a session as long as that lasts. */
export class WebSocketSession {
  readonly #socket: WebSocket;
  readonly #parts: WebSocketParts;
  /** Until the token is here; and from a close on until the peer has answered it. */
  #timer: NodeJS.Timeout;
  #token: string | undefined;
  /** Whether the peer has given a sign of life since it was asked for one. */
  #isAlive = true;

  constructor(socket: WebSocket, parts: WebSocketParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#timer = setTimeout(() => {
      this.close('signInTimeout', 'missing_token: The session token did not come in time.');
    }, parts.signInMs);
    socket.on('message', (data, isBinary) => void this.#receive(data, isBinary));
    socket.on('pong', () => (this.#isAlive = true));
    socket.on('close', () => clearTimeout(this.#timer));
    // A peer that breaks the protocol, or sends too much: the library closes with the code for it.
    socket.on('error', (err) => parts.logger.debug({ err }, 'a WebSocket failed'));
  }

  /** Sends it if a session is signed in and still holds; one that has ended is closed instead. */
  async send(message: WebSocketMessage): Promise<void> {
    if (!(await this.#isSignedIn())) return;
    if (this.#socket.bufferedAmount > WEB_SOCKET_WAITING_BYTES_MAX) {
      this.close('tooSlow', 'The messages were not taken.');
      return;
    }
    this.#socket.send(JSON.stringify(message));
  }

  /** To be called every so often: cuts a dead peer off, and closes when the session has ended. */
  async check(): Promise<void> {
    if (!this.#isAlive) {
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
    await this.#isSignedIn();
  }

  close(code: keyof typeof WEB_SOCKET_CLOSE_CODES, reason: string): void {
    this.#close(WEB_SOCKET_CLOSE_CODES[code], reason);
  }

  #close(code: number, reason: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#socket.terminate(), WEB_SOCKET_CLOSE_TIMEOUT_MS);
    this.#socket.close(code, reason);
  }

  async #receive(data: RawData, isBinary: boolean): Promise<void> {
    this.#isAlive = true;
    if (this.#token !== undefined) {
      this.close('invalidMessage', 'invalid_request: Nothing is taken after the token.');
      return;
    }
    const signIn = isBinary ? undefined : readSignIn(String(data));
    if (signIn === undefined) {
      this.close('invalidMessage', 'invalid_request: The first message must be {"token": "..."}.');
      return;
    }
    clearTimeout(this.#timer);
    this.#token = signIn.token;
    const replicas = this.#parts.services.frontEnd.replicaUrls();
    await this.send({ type: 'REPLICAS_CHANGED', replicas });
  }

  async #isSignedIn(): Promise<boolean> {
    if (this.#token === undefined || this.#socket.readyState !== this.#socket.OPEN) return false;
    try {
      const caller = await this.#parts.services.identity.authenticate(this.#token);
      if (caller.kind === 'session') return this.#socket.readyState === this.#socket.OPEN;
      this.close('forbidden', 'forbidden: The token is not that of a session.');
    } catch (error) {
      if (error instanceof Problem) {
        this.close('notSignedIn', `${error.code}: The token is not valid, or the session is over.`);
      } else {
        this.#parts.logger.error({ err: error }, 'the session of a WebSocket was not checked');
        this.#close(INTERNAL_ERROR, 'internal_error');
      }
    }
    return false;
  }
}

/** Of RFC 6455. */
const INTERNAL_ERROR = 1011;

function readSignIn(text: string): { readonly token: string } | undefined {
  try {
    return webSocketSignIn.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
