import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a request is answered with; by default its own headers, as JSON. */
export type EchoAnswer = (headers: IncomingHttpHeaders) => {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** A server that tells everything that it is sent. */
export class EchoServer implements AsyncDisposable {
  answer: EchoAnswer = (headers) => ({ body: JSON.stringify(headers) });
  /** The requests that came. */
  readonly seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => {
      this.seen.push({ path: request.url ?? '', headers: request.headers });
      const { status = 200, headers = {}, body = '' } = this.answer(request.headers);
      response.writeHead(status, headers).end(body);
    });
  }

  static async start(): Promise<EchoServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new EchoServer(server);
  }

  /** With its port. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `http://${this.host}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
