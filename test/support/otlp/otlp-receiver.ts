import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { ReceivedTelemetry } from './received-telemetry.ts';

/**
 * A receiver of the OpenTelemetry protocol over HTTP, in protobuf and JSON, that remembers what has
 * come.
 */
export class OtlpReceiver extends ReceivedTelemetry implements AsyncDisposable {
  /** What is answered. */
  status = 200;
  readonly #server: Server;
  readonly #scheme: string;

  private constructor(server: Server, scheme: string) {
    super();
    this.#server = server;
    this.#scheme = scheme;
  }

  static async start(tls?: ServerOptions): Promise<OtlpReceiver> {
    const server = tls === undefined ? createServer() : createTlsServer(tls);
    const receiver = new OtlpReceiver(server, tls === undefined ? 'http' : 'https');
    server.on('request', async (request: IncomingMessage, response) => {
      await receiver.#receive(request);
      response.writeHead(receiver.status, { 'content-type': 'application/json' }).end('{}');
      receiver.answered();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `${this.#scheme}://127.0.0.1:${port}`;
  }

  /** Variables that send everything here soon. */
  get env(): Readonly<Record<string, string>> {
    return sendingSoonTo(this.url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage): Promise<void> {
    const body = await buffer(request);
    const { url: path = '', headers } = request;
    const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    const isTraces = path.endsWith('/v1/traces');
    const isJson = headers['content-type'] === 'application/json';
    this.take({ path, headers }, { isTraces, isJson, bytes });
  }
}

export function sendingSoonTo(url: string): Readonly<Record<string, string>> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_BSP_SCHEDULE_DELAY: '50',
    OTEL_METRIC_EXPORT_INTERVAL: '200',
  };
}
