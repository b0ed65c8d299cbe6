import { webSocketUrl } from '@trellis/client/transport.ts';
import type { WebSocketMessage } from '@trellis/contract/web-socket.ts';
import { useSyncExternalStore } from 'react';
import { client, REPLICAS_OF_PAGE } from '../api/client.ts';
import { BASE_URL } from './base-url.ts';
import { session } from './session.ts';

/** `away`: the server that changes go to does not answer; reads go on where there are replicas. */
export type ConnectionState = 'connecting' | 'online' | 'away';

const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 15_000;
/** The close code for a session that is over (contract, web-socket.ts). */
const NOT_SIGNED_IN = 4401;

const ORIGINS_OF_PAGE: ReadonlySet<string> = new Set([
  location.origin,
  ...REPLICAS_OF_PAGE.split(';').map((url) => URL.parse(url)?.origin ?? ''),
]);

type Listener = (message: WebSocketMessage) => void;

/**
 * The WebSocket of the page: whether the server is there, and what it tells. Opens again by itself
 * while there is a session.
 */
class LiveConnection {
  readonly #stateListeners = new Set<() => void>();
  readonly #messageListeners = new Set<Listener>();
  #socket: WebSocket | undefined;
  #retryMs = RETRY_MS_MIN;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state: ConnectionState = 'connecting';
  #hasNewFrontEnd = false;
  #lastThereAt: string | undefined;
  #replicas = REPLICAS_OF_PAGE;

  constructor() {
    session.subscribe(() => this.#follow());
    window.addEventListener('online', () => this.#retryNow());
    this.#follow();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** When the server was last known to be there, ISO 8601; undefined when it never was. */
  get lastThereAt(): string | undefined {
    return this.#lastThereAt;
  }

  /** The server has another front end than the one of this page. */
  get hasNewFrontEnd(): boolean {
    return this.#hasNewFrontEnd;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  };

  readonly onMessage = (listener: Listener): (() => void) => {
    this.#messageListeners.add(listener);
    return () => this.#messageListeners.delete(listener);
  };

  #follow(): void {
    if (session.current === undefined) this.#close();
    else if (this.#socket === undefined) this.#open(session.current.token);
  }

  #close(): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #open(token: string): void {
    clearTimeout(this.#timer);
    const socket = new WebSocket(webSocketUrl(BASE_URL));
    this.#socket = socket;
    socket.addEventListener('open', () => socket.send(JSON.stringify({ token })));
    socket.addEventListener('message', ({ data }) => this.#receive(String(data)));
    socket.addEventListener('close', ({ code }) => this.#closed(socket, code));
  }

  #receive(text: string): void {
    const message = JSON.parse(text) as WebSocketMessage;
    this.#retryMs = RETRY_MS_MIN;
    this.#setState('online');
    if (message.type === 'REPLICAS_CHANGED') this.#setReplicas(message.replicas);
    if (message.type === 'FRONTEND_CHANGED') {
      this.#hasNewFrontEnd = true;
      this.#tell();
    }
    for (const listener of this.#messageListeners) listener(message);
  }

  /**
   * Each opening tells the list; the SDK checks all servers of a list that it is given again. The
   * policy of the page lets in those that the server knew when it sent the page: one that joins
   * later is used after the next load.
   */
  #setReplicas(told: string): void {
    const replicas = told
      .split(';')
      .filter((url) => ORIGINS_OF_PAGE.has(URL.parse(url)?.origin ?? ''))
      .join(';');
    if (replicas === this.#replicas) return;
    this.#replicas = replicas;
    client.setReplicas(replicas);
  }

  #closed(socket: WebSocket, code: number): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    if (code === NOT_SIGNED_IN) {
      session.finish('expired');
      return;
    }
    // Until now the connection was open.
    if (this.#state === 'online') this.#lastThereAt = new Date().toISOString();
    this.#setState('away');
    this.#timer = setTimeout(() => this.#follow(), this.#retryMs);
    this.#retryMs = Math.min(RETRY_MS_MAX, this.#retryMs * 2);
  }

  #retryNow(): void {
    this.#retryMs = RETRY_MS_MIN;
    this.#follow();
  }

  #setState(state: ConnectionState): void {
    if (this.#state === state) return;
    this.#state = state;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#stateListeners) listener();
  }
}

export const liveConnection = new LiveConnection();

export function useConnectionState(): ConnectionState {
  return useSyncExternalStore(liveConnection.subscribe, () => liveConnection.state);
}

export function useHasNewFrontEnd(): boolean {
  return useSyncExternalStore(liveConnection.subscribe, () => liveConnection.hasNewFrontEnd);
}

export function useLastThereAt(): string | undefined {
  return useSyncExternalStore(liveConnection.subscribe, () => liveConnection.lastThereAt);
}
