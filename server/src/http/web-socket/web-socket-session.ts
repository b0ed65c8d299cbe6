import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import type { Caller } from '#access/caller.ts';
import type { RunningWork } from '#access/running-callers.ts';
import {
  WEB_SOCKET_CLOSE_CODES,
  WEB_SOCKET_MESSAGE_AUTH,
  type WebSocketAnswer,
  type WebSocketMessage,
  webSocketSignIn,
} from '@trellis/contract/web-socket.ts';
import {
  WEB_SOCKET_CLOSE_TIMEOUT_MS,
  WEB_SOCKET_MESSAGE_BYTES_MAX,
  WEB_SOCKET_WAITING_BYTES_MAX,
  WEB_SOCKETS_PER_USER_MAX,
} from '#base/limits.ts';
import { Problem } from '#base/problem.ts';
import type { Logger } from '#observe/logger.ts';
import { hasRole } from '../gate.ts';
import type { HttpServices } from '../services.ts';
import { SessionRequests, type SessionRequestsParts } from './session-requests.ts';

export interface WebSocketParts extends SessionRequestsParts {
  readonly services: Pick<
    HttpServices,
    'identity' | 'running' | 'frontEnd' | 'endpoints' | 'editor'
  >;
  readonly logger: Logger;
  readonly signInMs: number;
  /**
   * Called with the caller once they are known, and again later. False when they have too many
   * sockets.
   */
  readonly onKnown: (caller: Caller) => boolean;
}

/**
 * One WebSocket. It belongs to nobody until its token arrives, then to a session for as long as
 * that lasts.
 */
export class WebSocketSession implements RunningWork {
  readonly #socket: WebSocket;
  readonly #parts: WebSocketParts;
  readonly #requests: SessionRequests;
  /** Runs until the token arrives, and again from a close until the peer has answered it. */
  #timer: NodeJS.Timeout;
  #token: string | undefined;
  /** Bytes of the unfinished message with its frames, or slightly more. */
  #unfinishedBytes = 0;
  /** The caller, once known. The socket closes when they lose their rights. */
  #caller: Caller | undefined;
  /** Whether the peer has answered since the last ping. */
  #isAlive = true;

  /** `connection` is the stream under the socket. */
  constructor(socket: WebSocket, connection: Duplex, parts: WebSocketParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#requests = new SessionRequests(parts);
    this.#timer = setTimeout(() => {
      this.close('signInTimeout', 'missing_token: The session token did not come in time.');
    }, parts.signInMs);
    socket.on('message', (data, isBinary) => void this.#receive(data, isBinary));
    socket.on('ping', (data) => (this.#unfinishedBytes -= CONTROL_FRAME_BYTES + data.length));
    socket.on('pong', (data) => {
      this.#isAlive = true;
      this.#unfinishedBytes -= CONTROL_FRAME_BYTES + data.length;
    });
    socket.on('close', () => {
      clearTimeout(this.#timer);
      this.#requests.close();
      this.#register(undefined);
    });
    this.#keepShort(connection);
    // For a peer that breaks the protocol or sends too much, the library closes with the right
    // code.
    socket.on('error', (err) => parts.logger.debug({ err }, 'a WebSocket failed'));
  }

  /**
   * Sends the message if it is for this session and the session still holds. Closes a session that
   * has ended.
   */
  async tell(message: WebSocketMessage, owner?: string): Promise<void> {
    const caller = await this.#present();
    if (caller === undefined) return;
    const isTheirs = owner !== undefined && owner === caller.userUid;
    const auth = WEB_SOCKET_MESSAGE_AUTH[message.type];
    if (isTheirs || hasRole({ auth }, caller)) this.#send(message);
  }

  #send(message: WebSocketMessage | WebSocketAnswer): void {
    if (this.#socket.bufferedAmount > WEB_SOCKET_WAITING_BYTES_MAX) {
      this.close('tooSlow', 'The messages were not taken.');
      return;
    }
    this.#socket.send(JSON.stringify(message));
  }

  /** Call it at intervals: cuts off a peer that has not answered the last ping. */
  ping(): void {
    if (!this.#isAlive) {
      this.#socket.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
  }

  /** Call it at intervals: closes when the session has ended. */
  async check(): Promise<void> {
    await this.#present();
  }

  /**
   * Drops the open requests, since the caller has fewer rights, and closes if the session is over.
   */
  end(): void {
    this.#requests.close();
    void this.check();
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
    this.#unfinishedBytes = 0;
    const text = isBinary ? undefined : String(data);
    if (this.#token === undefined) {
      await this.#signIn(text);
      return;
    }
    const caller = await this.#present();
    const answer = caller && (await this.#requests.answer(text, caller));
    // The session may have ended while the answer was made.
    if (answer !== undefined && (await this.#present()) !== undefined) this.#send(answer);
  }

  async #signIn(text: string | undefined): Promise<void> {
    if (text !== undefined && Buffer.byteLength(text) > WEB_SOCKET_MESSAGE_BYTES_MAX) {
      this.close('messageTooBig', TOO_BIG);
      return;
    }
    const signIn = text === undefined ? undefined : readSignIn(text);
    if (signIn === undefined) {
      this.close('invalidMessage', 'invalid_request: The first message must be {"token": "..."}.');
      return;
    }
    clearTimeout(this.#timer);
    this.#token = signIn.token;
    // The next message may be long, so it is not read before the caller is known.
    this.#socket.pause();
    const replicas = this.#parts.services.frontEnd.replicaUrls();
    await this.tell({ type: 'REPLICAS_CHANGED', replicas });
    this.#socket.resume();
  }

  /**
   * Applies the lower limit for everybody but administrators, since many sockets together must not
   * take much. The library's own limit is that of a request, which only administrators send. It has
   * already read what is counted here, so a whole message is known.
   */
  #keepShort(connection: Duplex): void {
    connection.on('data', (chunk: Buffer) => {
      this.#unfinishedBytes += chunk.length;
      const bytesMax = this.#token === undefined ? SIGN_IN_BYTES : READ_BYTES;
      if (this.#unfinishedBytes <= bytesMax || this.#mayAsk) return;
      this.close('messageTooBig', TOO_BIG);
      this.#socket.pause();
    });
  }

  get #mayAsk(): boolean {
    return this.#caller !== undefined && hasRole({ auth: 'admin' }, this.#caller);
  }

  #register(caller: Caller | undefined): void {
    if (caller === this.#caller) return;
    const { running } = this.#parts.services;
    if (this.#caller !== undefined) running.remove(this.#caller, this);
    if (caller !== undefined) running.add(caller, this);
    this.#caller = caller;
  }

  /** The caller of the session if it still holds. Closes a session that has ended. */
  async #present(): Promise<Caller | undefined> {
    if (this.#token === undefined || this.#socket.readyState !== this.#socket.OPEN) {
      return undefined;
    }
    try {
      const caller = await this.#parts.services.identity.authenticate(this.#token);
      if (caller.kind === 'session') {
        if (this.#socket.readyState !== this.#socket.OPEN) return undefined;
        if (!this.#parts.onKnown(caller)) {
          this.close('tooManyOfUser', TOO_MANY);
          return undefined;
        }
        this.#register(caller);
        return caller;
      }
      this.close('forbidden', 'forbidden: The token is not that of a session.');
    } catch (error) {
      if (error instanceof Problem) {
        this.close('notSignedIn', `${error.code}: The token is not valid, or the session is over.`);
      } else {
        this.#parts.logger.error({ err: error }, 'the session of a WebSocket was not checked');
        this.#close(INTERNAL_ERROR, 'internal_error');
      }
    }
    return undefined;
  }
}

const TOO_BIG = 'body_too_large: Your message is longer than a token can be.';
const TOO_MANY = `too_many_connections: You have ${WEB_SOCKETS_PER_USER_MAX} WebSockets already.`;
/**
 * The bytes around the content of a client's ping or pong (RFC 6455, section 5.2): 2, and the mask.
 */
const CONTROL_FRAME_BYTES = 6;
/** The most bytes of the first message with its frames: each piece takes memory, however small. */
const SIGN_IN_BYTES = WEB_SOCKET_MESSAGE_BYTES_MAX + 1024;
/** The most bytes of one read: a token, and the beginning of what follows. */
const READ_BYTES = SIGN_IN_BYTES + 64 * 1024;

/** Close codes of RFC 6455. */
const INTERNAL_ERROR = 1011;

function readSignIn(text: string): { readonly token: string } | undefined {
  try {
    return webSocketSignIn.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
