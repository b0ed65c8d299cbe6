import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { TestServer } from '#app/testing/test-server.ts';

/** A client of a test server's WebSocket, that notes what it gets. */
export class WebSocketClient {
  readonly socket: WebSocket;
  readonly messages: string[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #waiting: (() => void)[] = [];

  constructor({ port }: TestServer) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws`);
    this.socket.on('error', () => undefined);
    this.socket.on('message', (data) => {
      this.messages.push(String(data));
      for (const wake of this.#waiting.splice(0)) wake();
    });
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  static async open(at: TestServer): Promise<WebSocketClient> {
    const client = new WebSocketClient(at);
    await once(client.socket, 'open');
    return client;
  }

  static async signedIn(
    at: TestServer,
    as: keyof TestServer['tokens'] = 'user',
  ): Promise<WebSocketClient> {
    const client = await WebSocketClient.open(at);
    client.socket.send(JSON.stringify({ token: at.tokens[as] }));
    await client.received(1);
    return client;
  }

  async received(count: number): Promise<unknown[]> {
    while (this.messages.length < count) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.messages.map((text) => JSON.parse(text));
  }
}
